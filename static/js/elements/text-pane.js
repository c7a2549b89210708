/**
 * A stretch of the answer. Its root element holds exactly the tree that the changes speak of: nothing else is
 * ever put inside; what the page adds to code blocks lies over it (code-tools.js).
 */

import { apply } from "../apply.js";
import { CodeTools } from "../code-tools.js";
import { clone, partsOf } from "../templates.js";

export class TextPane extends HTMLElement {
  #parts;
  #tools;

  static build(pane) {
    const element = clone("text");
    element.#show(pane);
    return element;
  }

  #show(pane) {
    this.pane = pane;
    this.#parts = partsOf(this);
    this.#tools = new CodeTools(this.#parts.root, this.#parts.tools);
    if (pane.html) apply(this.#parts.root, [["p", 0, 0, pane.html]]);
    this.#draw();
  }

  /** The source of what is shown. */
  get markdown() {
    return this.pane.markdown;
  }

  ops(ops) {
    apply(this.#parts.root, ops);
  }

  set(fields) {
    Object.assign(this.pane, fields);
    this.#draw();
  }

  grow(field, text) {
    this.pane[field] = (this.pane[field] ?? "") + text;
  }

  #draw() {
    this.dataset.state = this.pane.state;
    this.toggleAttribute("data-superseded", Boolean(this.pane.superseded));
    this.#tools.live = this.pane.state === "live";
  }
}

customElements.define("text-pane", TextPane);
