/**
 * The choice of a model: a button, and behind it a list in groups with a field that filters it.
 *
 * The form's `<select>` stays and holds the value and all that can be chosen: whoever reads or changes it knows nothing
 * of what is shown. The focus stays in the field, which is a combobox; on a touch screen it goes to the list, so that
 * no keyboard covers it. The list keeps the height that it opened with: nothing moves while it is filtered.
 */

import { clone, partsOf } from "../templates.js";
import { choose, write } from "../words.js";

const TOUCH = "(pointer: coarse) and (hover: none)";

export class ModelPicker extends HTMLElement {
  #parts = null;
  #select;
  #active = null;

  connectedCallback() {
    if (this.#parts) return;
    this.#select = this.querySelector("select");
    this.#parts = partsOf(this);
    const { button, panel, filter, list } = this.#parts;
    new MutationObserver(() => this.#changed()).observe(this.#select, { childList: true, subtree: true, characterData: true });
    this.#select.addEventListener("change", () => this.#changed());
    button.addEventListener("click", () => (this.open ? this.close() : this.#show()));
    button.addEventListener("keydown", (event) => this.#pressedButton(event));
    filter.addEventListener("input", () => this.#draw());
    panel.addEventListener("keydown", (event) => this.#pressed(event));
    list.addEventListener("click", (event) => this.#take(event.target.closest("[role=option]")));
    list.addEventListener("pointermove", (event) => this.#activate(event.target.closest("[role=option]"), false));
    // A press keeps the focus where it is, but for one into the field.
    panel.addEventListener("mousedown", (event) => event.target === filter || event.preventDefault());
    this.addEventListener("focusout", ({ relatedTarget: to }) => this.contains(to) || this.close(false));
    document.addEventListener("pointerdown", ({ target }) => this.contains(target) || this.close(false));
    this.#changed();
  }

  get open() {
    return !this.#parts.panel.hidden;
  }

  /** `back`: the focus returns to the button. */
  close(back = true) {
    if (!this.open) return;
    // First, because what is hidden loses the focus to nobody.
    if (back) this.#parts.button.focus();
    this.#parts.panel.hidden = true;
    this.#parts.button.setAttribute("aria-expanded", "false");
  }

  #show(text = "") {
    const { button, panel, filter, list } = this.#parts;
    filter.value = "";
    panel.hidden = false;
    list.style.minBlockSize = "";
    button.setAttribute("aria-expanded", "true");
    this.#active = this.#select.value;
    this.#draw();
    list.style.minBlockSize = getComputedStyle(list).blockSize;
    if (text) {
      filter.value = text;
      this.#draw();
    }
    (matchMedia(TOUCH).matches && !text ? list : filter).focus();
  }

  /** The select has other options, or another one of them is chosen. */
  #changed() {
    write(this.#parts.name, this.#select.selectedOptions[0]?.text ?? "");
    if (this.open) this.#draw();
  }

  #draw() {
    const { filter, list, none } = this.#parts;
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const groups = [];
    let number = 0;
    for (const { name, options } of groupsOf(this.#select)) {
      const fits = options.filter(({ text, value }) => {
        const all = `${text} ${value} ${name}`.toLowerCase();
        return words.every((word) => all.includes(word));
      });
      if (fits.length) groups.push(group(name, groups.length, fits.map((one) => option(one, name, `model-option-${number++}`))));
    }
    list.replaceChildren(...groups);
    choose(none, number ? null : "none");
    const options = this.#options;
    this.#activate(options.find(({ dataset }) => dataset.key === this.#active) ?? options[0] ?? null);
  }

  get #options() {
    return [...this.#parts.list.querySelectorAll("[role=option]")];
  }

  #activate(option, scroll = true) {
    const { filter, list } = this.#parts;
    if (!option) {
      for (const element of [filter, list]) element.removeAttribute("aria-activedescendant");
      return;
    }
    this.#active = option.dataset.key;
    for (const one of this.#options) one.toggleAttribute("data-active", one === option);
    for (const element of [filter, list]) element.setAttribute("aria-activedescendant", option.id);
    // The heading of the first group comes into sight with it.
    if (scroll) (option === this.#options[0] ? list.firstElementChild : option).scrollIntoView({ block: "nearest" });
  }

  #take(option) {
    if (!option) return;
    this.close();
    if (this.#select.value === option.dataset.key) return;
    this.#select.value = option.dataset.key;
    this.#select.dispatchEvent(new Event("change", { bubbles: true }));
  }

  #pressedButton(event) {
    const { key } = event;
    if (this.open || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const letter = /^[\p{L}\p{N}]$/u.test(key);
    if (!letter && key !== "ArrowDown" && key !== "ArrowUp") return;
    event.preventDefault();
    event.stopPropagation();
    this.#show(letter ? key : "");
  }

  #pressed(event) {
    if (event.isComposing || event.keyCode === 229) return;
    const { key } = event;
    const inList = event.target === this.#parts.list;
    if (key === "Escape") this.close();
    else if (event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return;
    else if (key === "Enter") this.#take(this.#options.find((one) => one.hasAttribute("data-active")));
    else if (key === "ArrowDown") this.#step(1);
    else if (key === "ArrowUp") this.#step(-1);
    else if (inList && key === "Home") this.#activate(this.#options[0] ?? null);
    else if (inList && key === "End") this.#activate(this.#options.at(-1) ?? null);
    else if (inList && key.length === 1 && key.trim()) {
      this.#parts.filter.focus();
      return;
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #step(by) {
    const options = this.#options;
    const at = options.findIndex((one) => one.hasAttribute("data-active"));
    if (options.length) this.#activate(options[(at + by + options.length) % options.length]);
  }
}

/** `[{name, options}]` of a select; options outside of groups come first, under no name. */
function groupsOf(select) {
  const alone = [...select.children].filter((child) => child instanceof HTMLOptionElement);
  const groups = [...select.querySelectorAll("optgroup")].map(({ label, children }) => ({ name: label, options: [...children] }));
  return alone.length ? [{ name: "", options: alone }, ...groups] : groups;
}

function group(name, number, options) {
  const element = clone("model-group");
  const { heading } = partsOf(element);
  write(heading, name);
  heading.hidden = !name;
  if (name) element.setAttribute("aria-labelledby", (heading.id = `model-group-${number}`));
  element.append(...options);
  return element;
}

/** The name of the group stands over the option already. */
function option({ text, value, selected }, group, id) {
  const element = clone("model-option");
  element.id = id;
  element.dataset.key = value;
  element.setAttribute("aria-selected", String(selected));
  write(partsOf(element).title, text.startsWith(`${group} · `) ? text.slice(group.length + 3) : text);
  return element;
}

customElements.define("model-picker", ModelPicker);
