/** A pane of one line that says something about the turn: hidden thinking, a change of model, an unknown part. */

import { clone, partsOf } from "../templates.js";
import { write } from "../words.js";

export class NotePane extends HTMLElement {
  static build(pane) {
    const element = clone(pane.kind);
    element.show(pane);
    return element;
  }

  /** Show this pane in place of what is shown. */
  show(pane) {
    this.pane = pane;
    this.#draw();
  }

  set(fields) {
    Object.assign(this.pane, fields);
    this.#draw();
  }

  #draw() {
    this.toggleAttribute("data-superseded", Boolean(this.pane.superseded));
    for (const [name, part] of Object.entries(partsOf(this))) write(part, String(this.pane[name] ?? ""));
  }
}

customElements.define("note-pane", NotePane);
