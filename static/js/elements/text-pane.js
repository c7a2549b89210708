/**
 * A stretch of the answer. Its root element holds exactly the tree that the changes speak of: nothing else is
 * ever put inside; what the page adds to code blocks lies over it (code-tools.js).
 */

import { apply } from "../apply.js";
import { CodeTools } from "../code-tools.js";
import { clone, partsOf } from "../templates.js";
import { renew } from "../tree.js";

// With so many blocks the page leaves out those that nobody sees (css/prose.css).
const LONG = 120;

export class TextPane extends HTMLElement {
  #parts;

  static build(pane) {
    const element = clone("text");
    element.#parts = partsOf(element);
    new CodeTools(element.#parts.root, element.#parts.tools);
    element.show(pane);
    return element;
  }

  /** Show this pane in place of what is shown. */
  show(pane) {
    this.pane = pane;
    renew(this.#parts.root, pane.html);
    this.#measure();
    this.#draw();
  }

  /** The source of what is shown. */
  get markdown() {
    return this.pane.markdown;
  }

  ops(ops) {
    apply(this.#parts.root, ops);
    this.#measure();
  }

  set(fields) {
    Object.assign(this.pane, fields);
    this.#draw();
  }

  grow(field, text) {
    this.pane[field] = (this.pane[field] ?? "") + text;
  }

  #measure() {
    const { root } = this.#parts;
    root.toggleAttribute("data-long", root.childElementCount > LONG);
  }

  #draw() {
    this.dataset.state = this.pane.state;
    this.toggleAttribute("data-superseded", Boolean(this.pane.superseded));
  }
}

customElements.define("text-pane", TextPane);
