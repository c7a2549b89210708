/**
 * A Gemma model file by MediaPipe, as a model like any other. The library and the model live in a worker, which has a
 * policy of its own: WebAssembly may run there, and nowhere else. The file is kept in the browser's private storage.
 */

import { stored } from "./model-file.js";

export class MediaPipe {
  key = "device:mediapipe";
  #config;
  #worker = null;
  #asked = new Map();
  #count = 0;
  #loaded = false;
  #queue = Promise.resolve();

  /** `config`: {worker, library, loader, binary, model_url} as the server gives it. */
  constructor(config) {
    this.#config = config;
    this.name = "";
  }

  /** Where the administrator's model can be had, "" for nowhere. */
  get url() {
    return this.#config.model_url;
  }

  /** "unavailable" without a graphics adapter, "empty" without a file, otherwise "available". */
  async state() {
    if (!(await globalThis.navigator.gpu?.requestAdapter())) return "unavailable";
    const file = await stored();
    this.name = file?.name ?? "";
    return file ? "available" : "empty";
  }

  /** Keep a model file, from the user's disk or, without one, from the administrator's address. */
  async keep(file, progress) {
    await this.#ask(file ? { do: "keep", file } : { do: "fetch", url: this.url }, progress);
    this.#loaded = false;
    await this.state();
  }

  /** Remove the kept file. */
  async forget() {
    this.#worker?.terminate();
    this.#worker = null;
    this.#loaded = false;
    await (await stored())?.remove();
    await this.state();
  }

  /** The lines of one answer; answers come one after the other, as the library can only do one at a time. */
  async *answer({ system, messages }, { signal, tell }) {
    const before = this.#queue;
    let done;
    this.#queue = new Promise((resolve) => (done = resolve));
    try {
      await before;
      signal.throwIfAborted();
      if (!this.#loaded) {
        tell("loading");
        const { library, loader, binary } = this.#config;
        await this.#ask({ do: "load", library, loader, binary }, (part) => tell("loading", part));
        this.#loaded = true;
        tell("loaded");
      }
      yield { style: "delta" };
      yield* this.#pieces(system, messages, signal, tell);
    } finally {
      done();
    }
  }

  async *#pieces(system, messages, signal, tell) {
    const pieces = [];
    let wake = null;
    const over = this.#ask({ do: "answer", system, messages }, (piece) => {
      if (typeof piece === "string") pieces.push(piece);
      else tell("trimmed");
      wake?.();
    });
    let ended = false;
    const end = () => {
      ended = true;
      wake?.();
    };
    over.then(end, end);
    const stop = () => this.#worker?.postMessage({ do: "cancel" });
    signal.addEventListener("abort", stop);
    try {
      while (!ended || pieces.length) {
        if (pieces.length) yield pieces.shift();
        else await new Promise((resolve) => (wake = resolve));
        // Stopped: nothing more is read, but the library must come to its end before it can be asked again.
        if (signal.aborted) pieces.length = 0;
      }
      await over;
    } finally {
      await over.catch(() => {});
      signal.removeEventListener("abort", stop);
    }
  }

  /** Ask the worker; `progress` hears what comes before the answer. */
  #ask(message, progress) {
    this.#worker ??= this.#start();
    const id = ++this.#count;
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve, reject, progress });
      this.#worker.postMessage({ ...message, id });
    });
  }

  #start() {
    const worker = new Worker(script(this.#config.worker), { type: "module" });
    worker.addEventListener("message", ({ data: { id, progress, error } }) => {
      const asked = this.#asked.get(id);
      if (progress !== undefined) asked?.progress(progress);
      else this.#asked.delete(id);
      if (error) asked?.reject(Object.assign(new Error(error.message), { name: error.name }));
      else if (progress === undefined) asked?.resolve();
    });
    worker.addEventListener("error", ({ message }) => {
      for (const { reject } of this.#asked.values()) reject(new Error(message || "The worker failed."));
      this.#asked.clear();
    });
    return worker;
  }
}

let policy = null;

/** The address of a worker as the page's policy wants it: this one address and no other. */
function script(url) {
  if (!globalThis.trustedTypes) return url;
  policy ??= trustedTypes.createPolicy("streamrender-worker", {
    createScriptURL: (given) => {
      if (given !== url) throw new TypeError("Not the worker's address.");
      return given;
    },
  });
  return policy.createScriptURL(url);
}
