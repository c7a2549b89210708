/**
 * What lies over the blocks of an answer: over code its language and a copy button, under a table a button that
 * copies it for a spreadsheet.
 *
 * The bars lie in a layer of their own over the text, so the tree that the server changes holds nothing else. A
 * block leaves room for its bar by its own padding: nothing moves when a bar comes.
 */

import { copy } from "./copy.js";
import { separated } from "./tables.js";
import { clone, partsOf } from "./templates.js";
import { choose, write } from "./words.js";

export class CodeTools {
  #root;
  #layer;
  #bars = new Map();

  /** `root`: where the code blocks are; `layer`: an element that covers it. */
  constructor(root, layer) {
    this.#root = root;
    this.#layer = layer;
    new ResizeObserver(() => this.#place()).observe(root);
  }

  #place() {
    const blocks = new Set(this.#root.querySelectorAll("pre, table"));
    for (const [block, bar] of this.#bars) {
      if (blocks.has(block)) continue;
      bar.element.remove();
      this.#bars.delete(block);
    }
    if (!blocks.size) return;
    const origin = this.#layer.getBoundingClientRect();
    const places = [...blocks].map((block) => [block, block.getBoundingClientRect()]);
    for (const [block, box] of places) this.#bar(block).move(box, origin);
  }

  #bar(block) {
    if (!this.#bars.has(block)) {
      const bar = new Bar(block);
      this.#bars.set(block, bar);
      this.#layer.append(bar.element);
    }
    return this.#bars.get(block);
  }
}

class Bar {
  #at = "";

  constructor(block) {
    const isTable = block.localName === "table";
    this.element = clone(isTable ? "table-tool" : "code-tool");
    const { language, words } = partsOf(this.element);
    const button = this.element.querySelector("button");
    if (language) write(language, languageOf(block));
    choose(words, "copy");
    button.addEventListener("click", () => copy(isTable ? separated(block) : block.textContent, button));
    button.addEventListener("copied", () => choose(words, "copied" in button.dataset ? "copied" : "copy"));
  }

  /** Lie over `box`, given where the layer begins. */
  move(box, origin) {
    const at = [box.top - origin.top, box.left - origin.left, box.width, box.height].map(Math.round).join(" ");
    if (at === this.#at) return;
    this.#at = at;
    const { style } = this.element;
    style.top = `${box.top - origin.top}px`;
    style.left = `${box.left - origin.left}px`;
    style.width = `${box.width}px`;
    style.height = `${box.height}px`;
  }
}

/** The language of a code block, from its class. */
function languageOf(block) {
  const found = /\blanguage-(\S+)/.exec(block.querySelector("code")?.className ?? block.className);
  return found ? found[1] : "";
}
