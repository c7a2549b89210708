/**
 * The search, which is also the way to another conversation by keyboard. With nothing written it lists the
 * conversations of the sidebar; what is written is looked for on the server, in titles and in all that was said.
 */

import { clone, partsOf } from "./templates.js";
import { choose, write } from "./words.js";

const PAUSE = 160;
const RECENT = 8;

export class Search {
  #dialog;
  #field;
  #list;
  #words;
  #recent;
  #timer = null;
  #asked = 0;

  /** `recent()`: rows of the sidebar, as `[{href, title}]`. */
  constructor(dialog, recent) {
    this.#dialog = dialog;
    this.#recent = recent;
    this.#field = dialog.querySelector("input");
    this.#list = dialog.querySelector("[role=listbox]");
    this.#words = partsOf(dialog).words;
    choose(this.#words, null);
    this.#field.addEventListener("input", () => this.#changed());
    this.#field.addEventListener("keydown", (event) => this.#pressed(event));
    this.#list.addEventListener("click", () => dialog.close());
    dialog.querySelector("[data-action=close-search]").addEventListener("click", () => dialog.close());
    for (const button of document.querySelectorAll("[data-action=search]")) {
      button.addEventListener("click", () => this.open());
    }
  }

  open() {
    if (this.#dialog.open) return;
    this.#field.value = "";
    this.#dialog.showModal();
    this.#field.focus();
    this.#changed();
  }

  #changed() {
    clearTimeout(this.#timer);
    const query = this.#field.value.trim();
    this.#asked += 1;
    if (query) this.#timer = setTimeout(() => this.#ask(query, this.#asked), PAUSE);
    else this.#show(this.#recent().slice(0, RECENT).map(({ href, title }) => option(href, title, ["", "", ""])));
  }

  async #ask(query, asked) {
    let answer = null;
    try {
      const response = await fetch(`/search/?${new URLSearchParams({ q: query })}`);
      if (response.ok) answer = await response.json();
    } catch {
      // Said below.
    }
    if (asked !== this.#asked) return;
    const found = answer?.found ?? [];
    this.#show(found.map((one) => option(address(one), one.title, one.parts)));
    choose(this.#words, !answer ? "failed" : found.length ? null : "none");
  }

  #show(options) {
    this.#list.replaceChildren(...options);
    options.forEach((one, i) => (one.id = `found-${i}`));
    choose(this.#words, null);
    this.#select(0);
  }

  #select(at) {
    const options = [...this.#list.children];
    options.forEach((one, i) => one.setAttribute("aria-selected", String(i === at)));
    this.#field.setAttribute("aria-activedescendant", options[at]?.id ?? "");
    options[at]?.scrollIntoView({ block: "nearest" });
  }

  #pressed(event) {
    if (event.isComposing || event.keyCode === 229) return;
    const options = [...this.#list.children];
    const at = options.findIndex((one) => one.getAttribute("aria-selected") === "true");
    if (event.key === "Enter") options[at]?.click();
    else if (event.key === "ArrowDown") this.#select((at + 1) % options.length);
    else if (event.key === "ArrowUp") this.#select((at - 1 + options.length) % options.length);
    else return;
    event.preventDefault();
  }
}

const address = ({ conversation, turn }) => `/c/${conversation}/${turn ? `#turn-${turn}` : ""}`;

function option(href, title, [before, hit, after]) {
  const element = clone("found");
  const parts = partsOf(element);
  element.href = href;
  write(parts.title, title);
  write(parts.before, before);
  write(parts.hit, hit);
  write(parts.after, after);
  parts.text.hidden = !(before || hit || after);
  return element;
}
