/**
 * The menu of what can be put into the message box or done from it: it opens when the message begins with a slash,
 * is filtered by what follows, and by a button beside the box.
 *
 * The focus stays in the message box, a text box with suggestions: a text area may not be a combobox. What is chosen
 * with the keys is told to a screen reader by `aria-activedescendant`, how much there is by a status line. Tab leads
 * into the list, where the same keys do the same. Nothing is chosen or filtered while an input method
 * composes; the signs that its slash key gives ("、", "／") open the menu too.
 */

import { clone, partsOf } from "../templates.js";
import { write } from "../words.js";

const BEGINNING = /^[/／、]([^\n]{0,60})$/;

export class SlashMenu {
  #box;
  #menu;
  #button;
  #status;
  #commands;
  #items = [];
  #at = -1;
  #dismissed = false;

  /** `form`: the composer; `commands()`: gives groups, `[{name, items: [{title, detail, keys, code, run}]}]`, and
   * calls what it is given when there are others. */
  constructor(form, commands) {
    this.#box = form.elements.message;
    this.#menu = form.querySelector("#slash");
    this.#button = form.querySelector("[data-action=slash]");
    this.#status = form.querySelector("#slash-status");
    this.#commands = commands;
    // Before the composer's own listener: a key that chooses here must not send.
    form.addEventListener("keydown", (event) => this.#key(event), { capture: true });
    this.#box.addEventListener("input", (event) => event.isComposing || this.#written());
    this.#box.addEventListener("compositionend", () => this.#written());
    for (const element of [this.#box, this.#menu]) {
      element.addEventListener("blur", ({ relatedTarget: to }) => to === this.#box || to === this.#menu || this.close());
    }
    // A press keeps the focus, and a phone's keyboard, where it is.
    for (const element of [this.#menu, this.#button]) element.addEventListener("mousedown", (event) => event.preventDefault());
    this.#button.addEventListener("click", () => this.#toggle());
    this.#menu.addEventListener("click", (event) => this.#choose(this.#indexOf(event.target)));
    this.#menu.addEventListener("pointermove", (event) => this.#select(this.#indexOf(event.target), false));
  }

  get open() {
    return !this.#menu.hidden;
  }

  close() {
    if (!this.open) return;
    this.#menu.hidden = true;
    this.#button.setAttribute("aria-expanded", "false");
    for (const name of ["aria-controls", "aria-activedescendant"]) this.#box.removeAttribute(name);
    write(this.#status, "");
  }

  /** What stands behind the slash; null when the message is no beginning of a command. */
  get #query() {
    return BEGINNING.exec(this.#box.value)?.[1] ?? null;
  }

  #written() {
    const query = this.#query;
    if (!query) this.#dismissed = false;
    if (query === null || this.#dismissed) this.close();
    else this.#show();
  }

  #toggle() {
    if (this.open) return this.close();
    this.#box.focus();
    this.#show();
  }

  #show() {
    const opening = !this.open;
    this.#draw(this.#commands(opening ? () => this.open && this.#show() : null));
  }

  #draw(groups) {
    const words = (this.#query ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    const fits = ({ title, keys = "" }) => words.every((word) => `${title} ${keys}`.toLowerCase().includes(word));
    const found = groups.map(({ name, items }) => ({ name, items: items.filter(fits) })).filter(({ items }) => items.length);
    const before = this.#items[this.#at]?.title;
    this.#items = found.flatMap(({ items }) => items);
    if (!this.#items.length) return this.close();
    let i = 0;
    this.#menu.replaceChildren(...found.map(({ name, items }, number) => {
      const group = clone("slash-group");
      const { heading } = partsOf(group);
      write(heading, name);
      group.setAttribute("aria-labelledby", (heading.id = `slash-group-${number}`));
      group.append(...items.map((item) => option(item, `slash-${i++}`)));
      return group;
    }));
    this.#menu.hidden = false;
    this.#button.setAttribute("aria-expanded", "true");
    this.#box.setAttribute("aria-controls", this.#menu.id);
    write(this.#status, `${gettext("Suggestions:")} ${this.#items.length}`);
    this.#select(Math.max(0, words.length ? 0 : this.#items.findIndex(({ title }) => title === before)));
  }

  #indexOf(target) {
    return this.#options().indexOf(target.closest("[role=option]"));
  }

  #options() {
    return [...this.#menu.querySelectorAll("[role=option]")];
  }

  #select(at, scroll = true) {
    if (at < 0) return;
    this.#at = at;
    const options = this.#options();
    options.forEach((one, i) => one.setAttribute("aria-selected", String(i === at)));
    for (const element of [this.#box, this.#menu]) element.setAttribute("aria-activedescendant", options[at].id);
    // The heading of the first group comes into sight with it.
    if (scroll) (at ? options[at] : this.#menu.firstElementChild).scrollIntoView({ block: "nearest" });
  }

  #choose(at) {
    const item = this.#items[at];
    if (!item) return;
    this.#box.focus();
    if (this.#query !== null) {
      this.#box.select();
      put(this.#box, "");
    }
    this.close();
    if (item.text === undefined) item.run();
    else insert(this.#box, item.text);
  }

  #key(event) {
    if (!this.open || ![this.#box, this.#menu].includes(event.target) || event.isComposing || event.keyCode === 229) return;
    const { length } = this.#items;
    const plain = !(event.shiftKey || event.ctrlKey || event.altKey || event.metaKey);
    if (event.key === "Escape") {
      this.#dismissed = true;
      this.close();
    } else if (!plain) return;
    else if (event.key === "Enter") this.#choose(this.#at);
    else if (event.key === "ArrowDown") this.#select((this.#at + 1) % length);
    else if (event.key === "ArrowUp") this.#select((this.#at - 1 + length) % length);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

function option({ title, detail = "", code = false }, id) {
  const element = clone("slash-option");
  const parts = partsOf(element);
  element.id = id;
  write(parts.title, title);
  parts.title.toggleAttribute("data-code", code);
  write(parts.detail, detail.replace(/\s+/g, " "));
  return element;
}

const CURSOR = "{cursor}";

/** Put a text where the caret is; writing goes on at its `{cursor}`, behind it where there is none. */
export function insert(box, text) {
  const from = box.selectionStart;
  const at = text.indexOf(CURSOR);
  const plain = text.replaceAll(CURSOR, "");
  box.focus();
  put(box, plain);
  const caret = from + (at < 0 ? plain.length : at);
  box.setSelectionRange(caret, caret);
  // The caret comes into sight in a text that is longer than the box.
  box.blur();
  box.focus();
}

/** Replace what is selected, so that Undo brings it back; the composer hears of it as of any input. */
function put(box, text) {
  const done = text ? document.execCommand("insertText", false, text) : document.execCommand("delete");
  if (done) return;
  box.setRangeText(text, box.selectionStart, box.selectionEnd, "end");
  box.dispatchEvent(new Event("input", { bubbles: true }));
}
