/**
 * Keeps a scroller at its end while the reader is at the end, and never moves it otherwise.
 *
 * Where the reader is, is judged by position alone: no timers, no guesses about who scrolled. Scrolling up by
 * any amount lets go; being at the end takes hold again. The end is reached within two pixels, since scroll
 * positions are fractions at fractional device pixel ratios and `scrollHeight` is rounded.
 */

const TOLERANCE = 2;

export class StickToEnd {
  #scroller;
  #sticking = true;
  #top = 0;
  #most = 0;
  #changed;

  /** `content`: what grows inside `scroller`. `changed(sticking, distance)` is called when either may differ. */
  constructor(scroller, content, changed = () => {}) {
    this.#scroller = scroller;
    this.#changed = changed;
    scroller.addEventListener("scroll", () => this.#look(), { passive: true });
    const observer = new ResizeObserver(() => this.follow());
    observer.observe(scroller);
    observer.observe(content);
  }

  get sticking() {
    return this.#sticking;
  }

  /** How far the end is below what is seen, in pixels. */
  get distance() {
    const { scrollHeight, clientHeight, scrollTop } = this.#scroller;
    return scrollHeight - clientHeight - scrollTop;
  }

  /** Content changed: go to the end if the reader was there. */
  follow() {
    if (this.#sticking) this.#toEnd();
    else this.#changed(false, this.distance);
  }

  /** Go to the end and stay there. */
  jump() {
    this.#sticking = true;
    this.#toEnd();
  }

  /** Show the beginning of `element`, and stay there. */
  show(element) {
    this.#sticking = false;
    element.scrollIntoView({ block: "start" });
    this.#look();
  }

  /** From now on remember where the reader is when the page is left; true if a reload was put back there. */
  keep(store = sessionStorage) {
    // A new chat gets its own address while it is read.
    const key = () => `scroll:${location.pathname}`;
    const top = Number(store.getItem(key()) ?? NaN);
    store.removeItem(key());
    addEventListener("pagehide", () => {
      if (!this.#sticking) store.setItem(key(), String(this.#scroller.scrollTop));
    });
    const [came] = performance.getEntriesByType("navigation");
    if (Number.isNaN(top) || !["reload", "back_forward"].includes(came?.type)) return false;
    this.#sticking = false;
    this.#scroller.scrollTop = top;
    this.#look();
    return true;
  }

  #toEnd() {
    const scroller = this.#scroller;
    this.#most = scroller.scrollHeight - scroller.clientHeight;
    if (this.#most - scroller.scrollTop > 0.5) scroller.scrollTop = this.#most;
    this.#top = scroller.scrollTop;
    this.#changed(true, 0);
  }

  #look() {
    const top = this.#scroller.scrollTop;
    const most = this.#scroller.scrollHeight - this.#scroller.clientHeight;
    // Content that shrinks also moves the position up, but that was not the reader.
    const up = top < this.#top - 0.5 && most >= this.#most;
    const end = most - top <= TOLERANCE;
    if (end && !up) this.#sticking = true;
    if (!end && up) this.#sticking = false;
    this.#top = top;
    this.#most = most;
    this.#changed(this.#sticking, most - top);
  }
}
