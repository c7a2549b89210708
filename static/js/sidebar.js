/**
 * The list of conversations: grouped by date, opened and closed.
 *
 * On a wide page it folds away and the server remembers; on a narrow one it is a drawer over the page, which is
 * inert meanwhile.
 */

import { keep } from "./cookies.js";
import { clone, partsOf } from "./templates.js";
import { write } from "./words.js";

const DAY = 24 * 60 * 60 * 1000;
const narrow = matchMedia("(max-width: 899px)");

export class Sidebar {
  #element;
  #list;
  #archived;
  #stage;
  #opener;
  #root = document.documentElement;

  constructor(element, stage) {
    this.#element = element;
    this.#stage = stage;
    this.#list = element.querySelector("#conversations");
    this.#archived = element.querySelector("#archived");
    this.#opener = stage.querySelector("[data-action=sidebar]");
    for (const button of document.querySelectorAll("[data-action=sidebar]")) {
      button.addEventListener("click", () => this.toggle());
    }
    narrow.addEventListener("change", () => this.#reflect());
    element.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && narrow.matches && this.open) this.toggle();
    });
    this.#group();
    this.#reflect();
  }

  get open() {
    return narrow.matches ? this.#root.dataset.drawer === "open" : this.#root.dataset.sidebar !== "closed";
  }

  toggle() {
    const open = !this.open;
    if (narrow.matches) this.#root.dataset.drawer = open ? "open" : "closed";
    else keep("sidebar", (this.#root.dataset.sidebar = open ? "open" : "closed"));
    this.#reflect();
    if (!narrow.matches) return;
    if (open) this.#element.querySelector(".sidebar-close").focus();
    else this.#opener.focus();
  }

  /** A conversation began, here (`active`) or in another tab: put it first. */
  add(id, title, active = true) {
    const item = clone("conversation");
    item.dataset.id = id;
    item.dataset.updated = new Date().toISOString();
    item.querySelector("a").href = `/c/${id}/`;
    if (active) this.#mark(item);
    this.place(item);
    if (title) this.rename(id, title);
  }

  /** Put a row where it belongs: in the archive or not, pinned ones first, then the newest. */
  place(row) {
    const list = row.dataset.archived === undefined ? this.#list : this.#archived;
    row.remove();
    const rank = ({ dataset: { pinned, updated } }) => [pinned === undefined ? 0 : 1, Date.parse(updated)];
    const [pinned, updated] = rank(row);
    const rows = [...list.querySelectorAll(".conversation")];
    const before = rows.find((other) => {
      const [itsPinned, its] = rank(other);
      return itsPinned < pinned || (itsPinned === pinned && its <= updated);
    });
    list.insertBefore(row, before ?? null);
    this.#group();
  }

  /** Put the focus on a row, or near where it was when it is out of sight. */
  focus(row) {
    const link = row.checkVisibility() ? row.querySelector("a") : this.#element.querySelector(".new-chat");
    link.focus();
  }

  #mark(item) {
    for (const link of this.#element.querySelectorAll("[aria-current=page]")) link.removeAttribute("aria-current");
    item.querySelector("a").setAttribute("aria-current", "page");
  }

  rename(id, title) {
    const item = this.item(id);
    if (item) write(partsOf(item).title, title);
  }

  remove(id) {
    this.item(id)?.remove();
    this.#group();
  }

  item(id) {
    return this.#element.querySelector(`[data-id="${CSS.escape(id)}"]`);
  }

  /** The conversations in their order, as `[{href, title}]`. */
  get rows() {
    const links = [...this.#element.querySelectorAll(".conversation-link")];
    return links.map(({ href, textContent }) => ({ href, title: textContent }));
  }

  #group() {
    for (const heading of this.#list.querySelectorAll(".conversations-date")) heading.remove();
    let last = null;
    for (const item of [...this.#list.children]) {
      const { pinned, updated } = item.dataset;
      const name = pinned === undefined ? period(new Date(updated)) : gettext("Pinned");
      if (name !== last) {
        const heading = document.createElement("li");
        heading.className = "conversations-date";
        heading.textContent = name;
        item.before(heading);
      }
      last = name;
    }
  }

  #reflect() {
    const { open } = this;
    this.#opener.setAttribute("aria-expanded", String(open));
    this.#element.inert = !open;
    this.#stage.inert = narrow.matches && open;
  }
}

/** The name of the period that `date` lies in, as seen from today. */
function period(date) {
  const midnight = new Date().setHours(0, 0, 0, 0);
  if (date >= midnight) return gettext("Today");
  if (date >= midnight - DAY) return gettext("Yesterday");
  if (date >= midnight - 7 * DAY) return gettext("Last seven days");
  return new Intl.DateTimeFormat(document.documentElement.lang, { month: "long", year: "numeric" }).format(date);
}
