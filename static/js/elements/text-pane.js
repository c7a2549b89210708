/**
 * A stretch of the answer. Its root element holds exactly the tree that the changes speak of: nothing else is
 * ever put inside; what the page adds to code blocks lies over it (code-tools.js).
 */

import { apply } from "../apply.js";
import { showCaps } from "../caps.js";
import { CodeTools } from "../code-tools.js";
import { clone, partsOf } from "../templates.js";
import { renew } from "../tree.js";

export class TextPane extends HTMLElement {
  #parts;
  #sources = null;

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
    this.#draw();
  }

  /** This pane as it is shown now. */
  get shown() {
    return { ...this.pane, html: this.#parts.root.innerHTML };
  }

  /** The source of what is shown, with the sources that it names. */
  get markdown() {
    const cited = this.pane.citations ?? [];
    return cited.length ? `${this.pane.markdown}\n\n${cited.map(listed).join("\n")}\n` : this.pane.markdown;
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

  /** The sources that the text names, numbered. Their texts are a stranger's: plain text, and safe links only. */
  #drawSources() {
    const cited = this.pane.citations ?? [];
    if (!cited.length) {
      this.#sources?.remove();
      this.#sources = null;
      return;
    }
    if (!this.#sources) this.append((this.#sources = clone("sources")));
    const { list } = partsOf(this.#sources);
    while (list.childElementCount > cited.length) list.lastElementChild.remove();
    cited.forEach(({ url, title, quote }, i) => {
      if (!list.children[i]) list.append(clone("source"));
      const { link, name, host, quote: words } = partsOf(list.children[i]);
      const where = /^https?:\/\//.test(url ?? "") && URL.canParse(url) ? new URL(url).host : "";
      if (where) link.href = url;
      else link.removeAttribute("href");
      name.textContent = title || where || quote;
      host.textContent = title ? where : "";
      words.textContent = title || where ? quote : "";
    });
  }

  #draw() {
    this.dataset.state = this.pane.state;
    this.toggleAttribute("data-superseded", Boolean(this.pane.superseded));
    showCaps(this, this.pane.caps, this.#sources);
    this.#drawSources();
  }
}

/** A source as an item of a Markdown list. */
function listed({ url, title, quote }, i) {
  const plain = (text) => text.replace(/\s+/g, " ").replace(/[\\`*_[\]<>#|~$]/g, "\\$&");
  const name = plain(title || url || quote);
  const link = /^https?:\/\/[^<>\s\\]+$/.test(url ?? "") ? `[${name}](<${url}>)` : name;
  return `${i + 1}. ${link}${quote && (title || url) ? `: ${plain(quote)}` : ""}`;
}

customElements.define("text-pane", TextPane);
