/**
 * One short message over the page, with a way back where there is one. It goes by itself, but not while it has the
 * pointer or the focus.
 */

import { partsOf } from "./templates.js";
import { choose, write } from "./words.js";

const SHOWN = 10_000;

export class Toast {
  #element;
  #parts;
  #timer = null;
  #undo = null;

  constructor(element) {
    this.#element = element;
    this.#parts = partsOf(element);
    this.#parts.undo.addEventListener("click", () => {
      const undo = this.#undo;
      this.hide();
      undo?.();
    });
    this.#parts.dismiss.addEventListener("click", () => this.hide());
    for (const type of ["pointerleave", "focusout"]) element.addEventListener(type, () => this.#wait());
    for (const type of ["pointerenter", "focusin"]) element.addEventListener(type, () => clearTimeout(this.#timer));
  }

  /** Say the words named `what`; `undo`: called when the reader wants it back. */
  show(what, undo = null) {
    this.#undo = undo;
    choose(this.#parts.words, what);
    this.#parts.undo.hidden = !undo;
    this.#parts.body.hidden = false;
    this.#wait();
  }

  /** Say that an answer ended elsewhere: `{conversation, turn, title}`. */
  ended({ conversation, turn, title }) {
    this.#parts.link.href = `/c/${conversation}/#turn-${turn}`;
    write(this.#parts.link, title);
    this.show("ended");
  }

  hide() {
    clearTimeout(this.#timer);
    this.#undo = null;
    this.#parts.body.hidden = true;
  }

  #wait() {
    clearTimeout(this.#timer);
    if (this.#parts.body.hidden || this.#element.matches(":hover")) return;
    this.#timer = setTimeout(() => this.hide(), SHOWN);
  }
}
