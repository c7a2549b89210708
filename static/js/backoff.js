/** How long to wait before the next attempt to connect: a short first wait, then full jitter up to ten seconds. */

const FIRST = 250;
const BASE = 500;
const MOST = 10_000;

/** Milliseconds before attempt number `attempt` (0 is the first after a loss). `random` is in [0, 1). */
export function wait(attempt, random = Math.random) {
  const most = attempt === 0 ? FIRST : Math.min(MOST, BASE * 2 ** attempt);
  return random() * most;
}
