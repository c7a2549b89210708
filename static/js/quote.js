/**
 * Quoting: text selected in the conversation goes into the message box, by the button beside it or by the key Q.
 * The button floats, so nothing moves; it is gone when the selection is, or when the thread scrolls.
 */

const PAUSE = 250;
const GAP = 6;

export class Quote {
  #button;
  #thread;
  #quote;
  #timer = null;

  /** `thread`: what can be quoted from; `quote(text)` is called with what was selected. */
  constructor(button, thread, quote) {
    this.#button = button;
    this.#thread = thread;
    this.#quote = quote;
    document.addEventListener("selectionchange", () => this.#changed());
    thread.addEventListener("scroll", () => (button.hidden = true), { passive: true });
    // Pressing the button must not take the selection away.
    button.addEventListener("pointerdown", (event) => event.preventDefault());
    button.addEventListener("click", () => this.take());
  }

  /** Quote what is selected; gives whether there was anything. */
  take() {
    const text = this.#text();
    this.#button.hidden = true;
    if (!text) return false;
    getSelection().removeAllRanges();
    this.#quote(text);
    return true;
  }

  #text() {
    const selection = getSelection();
    const inside = selection.rangeCount && this.#thread.contains(selection.getRangeAt(0).commonAncestorContainer);
    return inside ? selection.toString().trim() : "";
  }

  #changed() {
    clearTimeout(this.#timer);
    this.#button.hidden = true;
    if (this.#text()) this.#timer = setTimeout(() => this.#show(), PAUSE);
  }

  #show() {
    if (!this.#text()) return;
    const box = getSelection().getRangeAt(0).getBoundingClientRect();
    const button = this.#button;
    button.hidden = false;
    const { offsetWidth: width, offsetHeight: height } = button;
    const above = box.top - height - GAP;
    button.style.top = `${Math.min(above > 52 ? above : box.bottom + GAP, innerHeight - height - GAP)}px`;
    button.style.left = `${Math.max(GAP, Math.min(box.left + (box.width - width) / 2, innerWidth - width - GAP))}px`;
  }
}
