/** The turns that this tab's models write: which of the socket's frames belong to which of them. */

import { uuid } from "../ids.js";
import { Feed } from "./feed.js";

export class Feeder {
  #send;
  #find;
  #tell;
  #expected = new Map();
  #feeds = new Map();

  /** `send(frame)`: to the server; `find(key)`: the adapter of a model, undefined when there is none here;
   * `tell(key, what, detail)`: what the reader should know of a model. */
  constructor(send, find, tell) {
    this.#send = send;
    this.#find = find;
    this.#tell = tell;
    addEventListener("pagehide", () => {
      for (const feed of this.#feeds.values()) {
        feed.resync(true);
        feed.end();
      }
    });
  }

  get busy() {
    return this.#feeds.size > 0;
  }

  /** Add to a submit frame what a model of this tab needs. Sent again, it stays the same. */
  outfit(frame) {
    const model = this.#find(frame.model);
    if (!model) return;
    frame.feed ??= { secret: uuid(), model: model.name };
    this.#expected.set(frame.id, frame);
  }

  receive(frame) {
    if (frame.type === "welcome") for (const feed of this.#feeds.values()) feed.resync();
    else if (frame.type === "ok") this.#accepted(frame);
    else if (frame.type === "no") this.#refused(frame);
    else if (frame.type in HANDLERS) HANDLERS[frame.type](this.#feeds.get(frame.turn), frame);
    if (frame.type === "unfed") this.#feeds.delete(frame.turn);
  }

  #accepted({ id, turn, duplicate }) {
    const frame = this.#expected.get(id);
    if (!frame) return;
    this.#expected.delete(id);
    const tell = (what, detail) => this.#tell(frame.model, what, detail);
    const feed = new Feed({ turn, secret: frame.feed.secret, send: this.#send, model: this.#find(frame.model), tell });
    this.#feeds.set(turn, feed);
    if (duplicate) feed.resync();
  }

  #refused({ id, code }) {
    this.#expected.delete(id);
    if (id?.startsWith("feed ")) this.#feeds.get(id.slice(5))?.refused(code);
  }
}

const HANDLERS = {
  prompt: (feed, frame) => feed?.prompt(frame),
  results: (feed, frame) => feed?.results(frame),
  chunks_ok: (feed, { n }) => feed?.acknowledged(n),
  unfed: (feed) => feed?.end(),
};
