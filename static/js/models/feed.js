/**
 * One turn that this tab's model writes: its lines go up in numbered frames, and again after a lost connection, until
 * the server has them. Tool calls end a round; what the model writes next waits for their results.
 */

import { uuid } from "../ids.js";

const PAUSE = 60;
const AHEAD = 16;
const FRAME_BYTES = 40_000;
const LONGEST_PIECE = 4000;
const LONGEST_CALL = 30_000;
const RESYNCS = 5;
const bytes = new TextEncoder();

export class Feed {
  #turn;
  #secret;
  #send;
  #model;
  #tell;
  #abort = new AbortController();
  #round = 0;
  #waiting = [];
  #frames = [];
  #n = 0;
  #synced = true;
  #resyncs = 0;
  #flushed = 0;
  #timer = null;
  #calls = new Map();
  #held = null;

  /** `send(frame)`: to the server, if the socket is open; `model()`: gives the adapter; `tell(what, detail)`: for the reader. */
  constructor({ turn, secret, send, model, tell }) {
    this.#turn = turn;
    this.#secret = secret;
    this.#send = send;
    this.#model = model;
    this.#tell = tell;
  }

  get turn() {
    return this.#turn;
  }

  get secret() {
    return this.#secret;
  }

  /** From now on frames go out this way. */
  by(send) {
    this.#send = send;
  }

  /** The socket is new, or the server lacks something: ask where it is before sending more. */
  resync(gone = false) {
    this.#synced = false;
    this.#send({ type: "feed", turn: this.#turn, secret: this.#secret, ...(gone && { gone }) });
  }

  /** The server has all frames up to `n`. */
  acknowledged(n) {
    while (this.#frames.length && this.#frames[0].n <= n) this.#frames.shift();
    if (!this.#synced) {
      this.#synced = true;
      for (const frame of this.#frames) this.#send(frame);
    }
    this.#flush();
  }

  /** The server did not take a frame. A gap can be mended; anything else is the end. */
  refused(code) {
    if (code === "out_of_order" && this.#resyncs++ < RESYNCS) this.resync();
    else {
      this.resync(true);
      this.end();
    }
  }

  /** The server says what the model is to be told. */
  async prompt(prompt) {
    if (this.#round) return;
    this.#round = prompt.round;
    const { signal } = this.#abort;
    const call = (name, input) => this.#call(name, input);
    try {
      const model = await this.#model();
      if (!model) throw new DOMException("This browser has no such model.", "NotFoundError");
      this.#tell("available");
      for await (const line of model.answer(prompt, { signal, call, tell: this.#tell })) {
        if (signal.aborted) return;
        this.#put(line);
      }
      if (!signal.aborted) this.#put({ done: true });
    } catch (error) {
      if (!signal.aborted) this.#put({ error: { name: String(error?.name ?? "UnknownError").slice(0, 100), message: String(error?.message ?? error).slice(0, 1000) } });
    }
  }

  /** What came of the calls of the round before. */
  results({ round, results }) {
    if (round <= this.#round) return;
    this.#round = round;
    const held = this.#held ?? [];
    this.#held = null;
    for (const { id, content, is_error: failed } of results) {
      this.#calls.get(id)?.resolve(failed ? `Error: ${content}` : content);
      this.#calls.delete(id);
    }
    for (const line of held) this.#put(line);
    this.#ask();
  }

  /** The turn is over: the model stops. */
  end() {
    clearTimeout(this.#timer);
    this.#abort.abort();
    this.#waiting = [];
    this.#frames = [];
    for (const { reject } of this.#calls.values()) reject(new DOMException("The turn is over.", "AbortError"));
    this.#calls.clear();
  }

  #call(name, input) {
    const line = { tool: { id: `call_${uuid()}`, name: String(name).slice(0, 200), input } };
    if (JSON.stringify(line).length > LONGEST_CALL) return Promise.resolve("Error: the arguments are too long.");
    const result = new Promise((resolve, reject) => this.#calls.set(line.tool.id, { line, resolve, reject, asked: false }));
    // A turn that ends takes its calls with it, whether or not the model still waits for them.
    result.catch(() => {});
    // Calls made together go together.
    setTimeout(() => this.#ask(), 0);
    return result;
  }

  /** Send the calls that were not sent yet, unless a round of calls is still running. */
  #ask() {
    const calls = [...this.#calls.values()].filter(({ asked }) => !asked);
    if (this.#held || !calls.length) return;
    for (const call of calls) {
      call.asked = true;
      this.#put(call.line);
    }
    this.#put({ done: true, stop_reason: "tool_use" });
    this.#held = [];
  }

  #put(line) {
    if (this.#held) {
      this.#held.push(line);
      return;
    }
    if (typeof line === "string") for (let at = 0; at < line.length; at += LONGEST_PIECE) this.#waiting.push(JSON.stringify(line.slice(at, at + LONGEST_PIECE)));
    else this.#waiting.push(JSON.stringify(line));
    if (line.done || line.error) this.#flushed = 0;
    this.#flush();
  }

  /** Send what waits: at once after a pause, never more than the server has room for. */
  #flush() {
    clearTimeout(this.#timer);
    while (this.#waiting.length && this.#synced && this.#frames.length < AHEAD) {
      const rest = this.#flushed + PAUSE - performance.now();
      if (rest > 0) {
        this.#timer = setTimeout(() => this.#flush(), rest);
        return;
      }
      const frame = { type: "chunks", turn: this.#turn, secret: this.#secret, n: ++this.#n, data: this.#batch() };
      this.#frames.push(frame);
      this.#send(frame);
      this.#flushed = performance.now();
    }
  }

  #batch() {
    let size = 0;
    let count = 0;
    for (const line of this.#waiting) {
      size += bytes.encode(JSON.stringify(line)).length + 1;
      if (count && (size > FRAME_BYTES || count >= 1000)) break;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }
}
