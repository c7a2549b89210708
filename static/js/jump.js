/** The button that leads to the end: shown away from it, with the number of turns that have brought something since. */

import { partsOf } from "./templates.js";
import { write } from "./words.js";

const NEAR = 80;

export class Jump {
  #button;
  #count;
  #brought = new Set();
  #away = false;

  constructor(button, jump) {
    this.#button = button;
    this.#count = partsOf(button).count;
    button.addEventListener("click", jump);
  }

  /** The reader moved, or the end did: `distance` is in pixels. */
  moved(sticking, distance) {
    this.#away = !sticking;
    this.#button.hidden = sticking || distance < NEAR;
    if (sticking && this.#brought.size) this.#brought.clear();
    this.#draw();
  }

  /** Something came for this turn. */
  brought(id) {
    if (this.#away) this.#brought.add(id);
    this.#draw();
  }

  #draw() {
    const { size } = this.#brought;
    this.#count.hidden = size === 0;
    write(this.#count, size ? String(size) : "");
  }
}
