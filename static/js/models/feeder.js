/** The turns that this tab's models write: which of the socket's frames belong to which of them. */

import { uuid } from "../ids.js";
import { Feed } from "./feed.js";
import { search } from "./search.js";

export class Feeder {
  #send;
  #find;
  #looked;
  #tell;
  #url;
  #expected = new Map();
  #sides = new Map();
  #feeds = new Map();

  /** `url`: of the socket; `send(frame)`: to the server; `find(key)`: the adapter of a model, undefined when there is none here;
   * `looked`: settled when all models of this device were looked for; `tell(key, what, detail)`: what the reader should
   * know of a model. */
  constructor({ url, send, find, looked, tell }) {
    this.#url = url;
    this.#send = send;
    this.#find = find;
    this.#looked = looked;
    this.#tell = tell;
    addEventListener("pagehide", () => {
      for (const feed of this.#feeds.values()) {
        feed.resync(true);
        feed.end();
      }
    });
  }

  /** Add to a submit frame what a model of this tab needs. Sent again, perhaps after a reload, it stays the same. */
  outfit(frame) {
    if (!frame.feed && !this.#find(frame.model)) return;
    frame.feed ??= { secret: uuid(), model: this.#find(frame.model).name };
    this.#expected.set(frame.id, frame);
  }

  receive(frame) {
    if (frame.type === "welcome") this.#returned();
    else if (frame.type === "ok") this.#accepted(frame);
    else if (frame.type === "no") this.#refused(frame);
    else if (frame.type === "unfed" && frame.elsewhere && this.#feeds.has(frame.turn)) this.#search(this.#feeds.get(frame.turn));
    else if (frame.type in HANDLERS) this.#hand(frame);
  }

  #hand(frame) {
    HANDLERS[frame.type](this.#feeds.get(frame.turn), frame);
    if (frame.type === "unfed") this.#feeds.delete(frame.turn);
  }

  /** The page has a new socket: all goes by it that has no socket of its own. */
  #returned() {
    for (const feed of this.#feeds.values()) if (!this.#sides.has(feed.turn)) feed.resync();
  }

  /** The page's socket leads to a process that does not know the feed: another socket may. */
  async #search(feed) {
    const { turn, secret } = feed;
    if (this.#sides.has(turn)) return;
    this.#sides.set(turn, null);
    const socket = await search(this.#url, turn, secret);
    if (!this.#feeds.has(turn)) socket?.close();
    else if (!socket) this.#hand({ type: "unfed", turn });
    else this.#goBy(feed, socket);
    if (!socket) this.#sides.delete(turn);
  }

  #goBy(feed, socket) {
    this.#sides.set(feed.turn, socket);
    feed.by((frame) => socket.readyState === WebSocket.OPEN && socket.send(JSON.stringify(frame)));
    socket.addEventListener("message", ({ data }) => {
      const frame = JSON.parse(data);
      if (frame.type === "no") this.#refused(frame);
      else if (frame.type in HANDLERS) this.#hand(frame);
      if (frame.type === "unfed") socket.close();
    });
    socket.addEventListener("close", () => {
      this.#sides.delete(feed.turn);
      feed.by(this.#send);
      if (this.#feeds.has(feed.turn)) feed.resync();
    });
    feed.resync();
  }

  #accepted({ id, turn, duplicate }) {
    const frame = this.#expected.get(id);
    if (!frame) return;
    this.#expected.delete(id);
    const tell = (what, detail) => this.#tell(frame.model, what, detail);
    const model = async () => {
      await this.#looked;
      return this.#find(frame.model);
    };
    const feed = new Feed({ turn, secret: frame.feed.secret, send: this.#send, model, tell });
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
