/**
 * The connection to the server: opens, greets, keeps alive, and comes back by itself for as long as it may.
 *
 * It knows nothing of turns. `greet()` gives the hello frame at every opening; `receive(frame)` gets every other
 * frame; `state(name)` is told "connecting", "open", "offline", or why there will be no further attempt: "login",
 * "reload", "gone". A socket that looks open can be dead (a phone that slept), so silence is what is judged: the
 * server pings, and when the tab becomes visible the page pings itself.
 */

import { Acks } from "./acks.js";
import { wait } from "./backoff.js";

const VERSION = 1;
const CONNECT_WITHIN = 8000;
const SILENCE = 30_000;
const PROBE = 3000;
const FINAL = new Map([[4400, "reload"], [4401, "login"], [4403, "login"], [4404, "gone"]]);
const PAUSE = new Map([[4429, 10_000]]);

export class Connection {
  #url;
  #greet;
  #receive;
  #state;
  #socket = null;
  #attempt = 0;
  #retry = null;
  #deadline = null;
  #pings = 0;
  #after = 0;
  #over = false;
  #welcomed = false;
  #said = null;
  #acks = new Acks((frame) => this.open && this.#socket.send(JSON.stringify(frame)));

  constructor(url, { greet, receive, state }) {
    this.#url = url;
    this.#greet = greet;
    this.#receive = receive;
    this.#state = state;
    addEventListener("online", () => this.#probe());
    addEventListener("offline", () => this.#say("offline"));
    addEventListener("pageshow", (event) => event.persisted && this.#probe());
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && this.#probe());
  }

  get open() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /** Whether what is sent now is likely to arrive: a socket stays open for a while after the network has gone. */
  get reaching() {
    return this.open && this.#said !== "offline";
  }

  /** Send a frame if the socket is open; gives whether it was. Acknowledgements are gathered. */
  send(frame) {
    if (!this.open) return false;
    if (frame.type === "ack") {
      this.#acks.take(frame);
      return true;
    }
    this.#socket.send(JSON.stringify(frame));
    return true;
  }

  /** Greet again: the server answers with what is missing. */
  hello() {
    this.send({ type: "hello", v: VERSION, ...this.#greet() });
  }

  /** Open the socket, at once. */
  connect() {
    if (this.#over) return;
    clearTimeout(this.#retry);
    this.#retry = null;
    const socket = (this.#socket = new WebSocket(this.#url));
    this.#acks.forget();
    this.#expect(CONNECT_WITHIN);
    socket.addEventListener("open", () => {
      if (socket !== this.#socket) return;
      this.#expect(SILENCE);
      this.hello();
    });
    socket.addEventListener("message", (event) => socket === this.#socket && this.#hear(event.data));
    socket.addEventListener("close", (event) => socket === this.#socket && this.#closed(event.code));
  }

  #hear(text) {
    this.#expect(SILENCE);
    this.#acks.heard(text.length);
    const frame = JSON.parse(text);
    if (frame.type === "welcome") this.#welcome(frame);
    if (this.#welcomed) this.#say("open");
    if (frame.type === "ping") this.send({ type: "pong", n: frame.n });
    else if (frame.type === "bye") this.#after = frame.after_ms;
    else if (frame.type !== "pong" && !this.#over) this.#receive(frame);
  }

  #welcome(frame) {
    if (frame.v !== VERSION) {
      this.#end("reload");
      return;
    }
    this.#attempt = 0;
    this.#welcomed = true;
  }

  #say(state) {
    if (state === this.#said) return;
    this.#said = state;
    this.#state(state);
  }

  /** Something must be heard within `ms`, or the socket is taken for dead. */
  #expect(ms) {
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(() => this.#lost(), ms);
  }

  #probe() {
    if (this.#over) return;
    if (!this.open) {
      if (this.#socket?.readyState !== WebSocket.CONNECTING) this.connect();
      return;
    }
    this.send({ type: "ping", n: ++this.#pings });
    this.#expect(PROBE);
  }

  /** Do not wait for a close that may never come: leave the socket behind. */
  #lost() {
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
    this.#later();
  }

  #closed(code) {
    this.#socket = null;
    clearTimeout(this.#deadline);
    if (FINAL.has(code)) this.#end(FINAL.get(code));
    else this.#later(PAUSE.get(code) ?? 0);
  }

  #later(least = 0) {
    clearTimeout(this.#deadline);
    clearTimeout(this.#retry);
    this.#welcomed = false;
    this.#say(navigator.onLine ? "connecting" : "offline");
    const ms = Math.max(least, this.#after, wait(this.#attempt++));
    this.#after = 0;
    this.#retry = setTimeout(() => this.connect(), ms);
  }

  #end(reason) {
    this.#over = true;
    clearTimeout(this.#deadline);
    clearTimeout(this.#retry);
    this.#welcomed = false;
    this.#say(reason);
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }
}
