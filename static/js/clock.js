/**
 * The time of a turn, in milliseconds since it began on the server, as far as this page can know it.
 *
 * What took how long is always the server's to say (`ended_at - started_at`). Only what still goes on is read
 * from here. The first guess is the turn's creation by wall clock, corrected by the difference between the two
 * clocks at page load; every time stamp that arrives then shows that at least so much has passed.
 */

const skew = () => {
  const now = Number(document.documentElement.dataset.now) * 1000;
  return now ? now - (performance.timeOrigin + arrival()) : 0;
};

let seen = null;
const arrival = () => (seen ??= performance.getEntriesByType("navigation")[0]?.responseStart ?? 0);
let offset = null;

export class TurnClock {
  #began;

  /** `created`: ISO time at the server, or null for a turn that begins here and now. */
  constructor(created) {
    offset ??= skew();
    const now = Date.now();
    this.#began = created ? Math.min(now, Date.parse(created) - offset) : now;
  }

  /** Milliseconds since the turn began, never negative. */
  now() {
    return Math.max(0, Date.now() - this.#began);
  }

  /** Something happened at `at`, so at least that much has passed. */
  learn(at) {
    if (typeof at === "number") this.#began = Math.min(this.#began, Date.now() - at);
  }
}

/** Calls `tick()` of everything that shows a running time, five times a second, and rests when there is nothing. */
class Ticker {
  #running = new Set();
  #timer = null;

  /** Start or stop ticking `item`, as `on` says. */
  set(item, on) {
    if (on) this.#running.add(item);
    else this.#running.delete(item);
    if (this.#running.size && this.#timer === null) this.#timer = setInterval(() => this.#tick(), 200);
    if (!this.#running.size && this.#timer !== null) {
      clearInterval(this.#timer);
      this.#timer = null;
    }
  }

  #tick() {
    for (const item of this.#running) {
      if (item.isConnected) item.tick();
      else this.set(item, false);
    }
  }
}

export const ticker = new Ticker();
