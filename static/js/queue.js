/**
 * Messages written while an answer is still coming: kept in the browser, shown over the message box, sent one by one
 * as turns end.
 *
 * Each has the id that it will be submitted with. The server takes an id once, so two tabs that both send the same
 * queued message send it once.
 */

import { uuid } from "./ids.js";
import { clone, partsOf } from "./templates.js";
import { write } from "./words.js";

const PREFIX = "queue:";

export class Queue {
  #list;
  #store;
  #key;

  /** `list`: where they are shown; `name`: of the conversation, or of the tab for a new chat. */
  constructor(list, store, name, removed) {
    this.#list = list;
    this.#store = store;
    this.#key = PREFIX + name;
    list.addEventListener("click", (event) => {
      const item = event.target.closest("[data-action=unqueue]")?.closest("[data-id]");
      const [gone] = this.#items.filter(({ id }) => id === item?.dataset.id);
      if (!gone) return;
      this.#save(this.#items.filter(({ id }) => id !== gone.id));
      removed(gone.text, gone.files);
    });
    addEventListener("storage", ({ key }) => key === this.#key && this.#draw());
    this.#draw();
  }

  /** The new chat became this conversation. */
  set name(name) {
    const items = this.#items;
    this.#save([]);
    this.#key = PREFIX + name;
    this.#save([...this.#items, ...items]);
  }

  add(text, model, files = []) {
    this.#save([...this.#items, { id: uuid(), text, model, files }]);
  }

  /** Take the first one out, as `{id, text, model, files}`; undefined when there is none. */
  take() {
    const [first, ...rest] = this.#items;
    if (first) this.#save(rest);
    return first;
  }

  get #items() {
    try {
      return JSON.parse(this.#store.getItem(this.#key)) ?? [];
    } catch {
      return [];
    }
  }

  #save(items) {
    if (items.length) this.#store.setItem(this.#key, JSON.stringify(items));
    else this.#store.removeItem(this.#key);
    this.#draw();
  }

  #draw() {
    const items = this.#items;
    this.#list.hidden = !items.length;
    this.#list.replaceChildren(...items.map(({ id, text }) => {
      const item = clone("queued");
      item.dataset.id = id;
      write(partsOf(item).text, text);
      return item;
    }));
  }
}
