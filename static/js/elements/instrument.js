/**
 * The line above an answer: which model, what it is doing, for how long, the time to the first token and about how
 * fast it writes; and the countdown to another attempt.
 */

import { ticker } from "../clock.js";
import { rate, running, took } from "../format.js";
import { speed } from "../speed.js";
import { choose, write } from "../words.js";
import { drawFault } from "./fault.js";

export class Instrument {
  #parts;
  #turn;
  #clock;
  #reckoned = -Infinity;

  constructor(parts) {
    this.#parts = parts;
  }

  /** `doing`: what it does now, in a word of the template; `owner`: the element whose `tick()` leads here. */
  draw(turn, doing, model, clock, owner) {
    this.#turn = turn;
    this.#clock = clock;
    write(this.#parts.model, model);
    choose(this.#parts.state, doing);
    this.#parts.state.hidden = turn.state === "ended";
    this.#parts.retry.hidden = turn.state !== "retry" || !turn.retry;
    drawFault(this.#parts, "retry-fault", turn.retry?.error);
    this.#drawFirst();
    ticker.set(owner, turn.state !== "ended" && turn.state !== "unsent");
    this.#time();
  }

  tick() {
    this.#time();
    this.#reckon();
  }

  #time() {
    const { state, ended_at: ended, retry } = this.#turn;
    const now = this.#clock.now();
    if (state === "unsent") write(this.#parts.elapsed, "");
    else write(this.#parts.elapsed, ended === null ? running(now) : took(ended));
    const left = retry ? Math.ceil((retry.at + retry.seconds * 1000 - now) / 1000) * 1000 : 0;
    write(this.#parts.countdown, retry ? running(left) : "");
  }

  #drawFirst() {
    const first = this.#turn.first_token_at ?? null;
    this.#parts.live.hidden = first === null || this.#turn.state === "ended";
    write(this.#parts["live-first"], this.#parts.live.hidden ? "" : took(first));
    if (this.#parts.live.hidden) this.#reckon();
  }

  /** About how fast it writes, while it writes: once a second, since all that is shown is counted. */
  #reckon() {
    const writing = !this.#parts.live.hidden && ["thinking", "answering"].includes(this.#turn.state);
    const now = this.#clock.now();
    if (writing && now - this.#reckoned < 1000) return;
    this.#reckoned = writing ? now : -Infinity;
    const known = writing ? speed(this.#parts.panes, now - this.#turn.first_token_at) : null;
    write(this.#parts["live-rate"], known === null ? "" : rate(known));
  }
}
