/** The part of the model picker that lists the models of this device. Where the server offers one model only, there is
 * no list yet, and it is made. */

import { clone } from "../templates.js";

export class Picker {
  #form;
  #chosen;
  #preferred;
  #group = null;

  /** `chosen`: the key of the conversation's model, which is selected once it is offered; in a new chat the `preferred`
   * one, which is also selected where the preference is set. */
  constructor(form, chosen, preferred) {
    this.#form = form;
    this.#chosen = chosen ?? preferred;
    this.#preferred = preferred;
  }

  get value() {
    return this.#form.elements.model?.value ?? null;
  }

  offer(key, label) {
    this.#group ??= this.#made();
    const option = new Option(label, key);
    option.dataset.label = label;
    this.#group.append(option);
    if (key === this.#chosen) option.selected = true;
    const likes = document.querySelector("select[name=default_model]");
    likes?.append(new Option(label, key, key === this.#preferred, key === this.#preferred));
  }

  /** Say beside a model what is still to be done, "" for nothing. */
  mark(key, words) {
    const option = [...this.#group.children].find(({ value }) => value === key);
    option.text = words ? `${option.dataset.label} · ${words}` : option.dataset.label;
  }

  #made() {
    const group = document.createElement("optgroup");
    group.label = gettext("On this device");
    (this.#form.elements.model ?? this.#list()).append(group);
    return group;
  }

  #list() {
    const name = this.#form.querySelector(".model-only");
    const picker = clone("model-picker");
    const list = picker.querySelector("select");
    if (name) {
      list.append(new Option(name.textContent, name.dataset.key));
      name.replaceWith(picker);
    } else {
      this.#form.querySelector(".composer-bar").prepend(picker);
    }
    return list;
  }
}
