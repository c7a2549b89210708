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

const BLOCKS = "pre, table";
const NEAR = "600px";

export class CodeTools {
  #root;
  #layer;
  #bars = new Map();
  #near;

  /** `root`: where the code blocks are; `layer`: an element that covers it. */
  constructor(root, layer) {
    this.#root = root;
    this.#layer = layer;
    // Of thousands of blocks only those that are near have bars: to measure one that the page leaves out lays it out.
    this.#near = new IntersectionObserver((entries) => this.#approach(entries), { scrollMargin: NEAR, rootMargin: NEAR });
    new MutationObserver((records) => this.#learn(records)).observe(root, { childList: true, subtree: true });
    new ResizeObserver(() => this.#place()).observe(root);
    for (const block of root.querySelectorAll(BLOCKS)) this.#near.observe(block);
  }

  #learn(records) {
    for (const { addedNodes, removedNodes } of records) {
      for (const block of blocksIn(removedNodes)) {
        this.#near.unobserve(block);
        this.#drop(block);
      }
      for (const block of blocksIn(addedNodes)) if (this.#root.contains(block)) this.#near.observe(block);
    }
  }

  #approach(entries) {
    // Measured before anything is added: to ask afterwards would lay the page out once more.
    const origin = this.#layer.getBoundingClientRect();
    const boxes = entries.map(({ target }) => target.getBoundingClientRect());
    for (const [i, { target, isIntersecting }] of entries.entries()) {
      if (isIntersecting) this.#add(target, boxes[i], origin);
      else if (!this.#bars.get(target)?.element.contains(document.activeElement)) this.#drop(target);
    }
  }

  #add(block, box, origin) {
    if (this.#bars.has(block) || !this.#root.contains(block)) return;
    const bar = new Bar(block);
    bar.move(box, origin);
    const behind = ([other]) => block.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING;
    const next = [...this.#bars].filter(behind).map(([, { element }]) => element);
    // The buttons are reached in the order of their blocks.
    this.#layer.insertBefore(bar.element, [...this.#layer.children].find((element) => next.includes(element)) ?? null);
    this.#bars.set(block, bar);
  }

  #drop(block) {
    this.#bars.get(block)?.element.remove();
    this.#bars.delete(block);
  }

  #place() {
    if (!this.#bars.size) return;
    const origin = this.#layer.getBoundingClientRect();
    const places = [...this.#bars].map(([block, bar]) => [bar, block.getBoundingClientRect()]);
    for (const [bar, box] of places) bar.move(box, origin);
  }
}

function* blocksIn(nodes) {
  for (const node of nodes) {
    if (!(node instanceof Element)) continue;
    if (node.matches(BLOCKS)) yield node;
    yield* node.querySelectorAll(BLOCKS);
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
