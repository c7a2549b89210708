/** The user's saved prompts: kept on the server, the same list in all tabs of this browser. */

import { ask } from "./ask.js";

export class Prompts extends EventTarget {
  #all;
  #others = new BroadcastChannel("prompts");

  /** `all`: `[{id, title, text}]` as the page began with them. Tells "changed". */
  constructor(all) {
    super();
    this.#all = all;
    this.#others.addEventListener("message", ({ data }) => this.#take(data));
  }

  /** By title. */
  get all() {
    return this.#all;
  }

  /** Keep a prompt, a new one without an id. Gives null when it is kept, else "many", "invalid" or "failed". */
  async save({ id = null, title, text }) {
    const response = await ask(id === null ? "/prompts/" : `/prompts/${id}/`, { title, text });
    if (response?.status === 409) return "many";
    if (response?.status === 400) return "invalid";
    if (!response?.ok) return "failed";
    const kept = await response.json();
    this.#change([...this.#all.filter((one) => one.id !== kept.id), kept]);
    return null;
  }

  /** Delete a prompt; gives whether it is gone. */
  async remove(id) {
    const response = await ask(`/prompts/${id}/delete/`);
    if (!response?.ok && response?.status !== 404) return false;
    this.#change(this.#all.filter((one) => one.id !== id));
    return true;
  }

  #change(all) {
    const { compare } = new Intl.Collator(document.documentElement.lang);
    all.sort((one, other) => compare(one.title, other.title));
    this.#others.postMessage(all);
    this.#take(all);
  }

  #take(all) {
    this.#all = all;
    this.dispatchEvent(new Event("changed"));
  }
}
