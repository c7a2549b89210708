/** The menu of a conversation in the list: one for all rows, moved to the row whose button was pressed. */

const GAP = 4;

export class ConversationMenu {
  #menu;
  #button = null;

  /** `chosen(action, row)` is called with what was picked. */
  constructor(menu, nav, chosen) {
    this.#menu = menu;
    nav.addEventListener("click", (event) => {
      const button = event.target.closest("[data-action=more]");
      if (button) this.#open(button);
    });
    menu.addEventListener("click", (event) => {
      const item = event.target.closest("[data-action]");
      const row = this.#button.closest("[data-id]");
      menu.hidePopover();
      if (item) chosen(item.dataset.action, row);
    });
    menu.addEventListener("keydown", (event) => this.#pressed(event));
    menu.addEventListener("toggle", ({ newState }) => {
      if (newState === "closed") this.#button.setAttribute("aria-expanded", "false");
    });
  }

  #open(button) {
    this.#button = button;
    const { pinned, archived } = button.closest("[data-id]").dataset;
    const shown = { pin: pinned === undefined && archived === undefined, unpin: pinned !== undefined };
    Object.assign(shown, { archive: archived === undefined, unarchive: archived !== undefined });
    for (const item of this.#menu.children) item.hidden = shown[item.dataset.action] === false;
    this.#menu.showPopover();
    button.setAttribute("aria-expanded", "true");
    const at = button.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this.#menu;
    const below = at.bottom + GAP + height <= innerHeight;
    this.#menu.style.top = `${Math.max(GAP, below ? at.bottom + GAP : at.top - GAP - height)}px`;
    this.#menu.style.left = `${Math.max(GAP, Math.min(at.left, innerWidth - width - GAP))}px`;
    this.#items()[0].focus();
  }

  #items() {
    return [...this.#menu.children].filter((item) => !item.hidden);
  }

  #pressed(event) {
    const items = this.#items();
    const at = items.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 + items.length, Home: 0, End: items.length - 1 }[event.key];
    if (event.key === "Tab") this.#menu.hidePopover();
    if (event.key === "Escape") event.stopPropagation();
    if (to === undefined) return;
    event.preventDefault();
    items[to % items.length].focus();
  }
}
