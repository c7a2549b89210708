/** The line above an answer: which model, what it is doing, for how long; and the countdown to another attempt. */

import { ticker } from "../clock.js";
import { running, took } from "../format.js";
import { choose, write } from "../words.js";
import { drawFault } from "./fault.js";

export class Instrument {
  #parts;
  #turn;
  #clock;

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
    ticker.set(owner, turn.state !== "ended" && turn.state !== "unsent");
    this.tick();
  }

  tick() {
    const { state, ended_at: ended, retry } = this.#turn;
    const now = this.#clock.now();
    if (state === "unsent") write(this.#parts.elapsed, "");
    else write(this.#parts.elapsed, ended === null ? running(now) : took(ended));
    const left = retry ? Math.ceil((retry.at + retry.seconds * 1000 - now) / 1000) * 1000 : 0;
    write(this.#parts.countdown, retry ? running(left) : "");
  }
}
