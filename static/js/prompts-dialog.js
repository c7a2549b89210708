/** The dialog that lists the saved prompts and in which they are written. */

import { clone, partsOf } from "./templates.js";
import { choose, write } from "./words.js";

export class PromptsDialog {
  #dialog;
  #prompts;
  #form;
  #parts;
  #listed;
  #saved;
  #lost = null;

  /** `saved()` is called when a message was kept as a prompt. */
  constructor(dialog, prompts, saved) {
    this.#dialog = dialog;
    this.#prompts = prompts;
    this.#saved = saved;
    this.#form = dialog.querySelector("form");
    this.#parts = partsOf(dialog);
    prompts.addEventListener("changed", () => this.#draw());
    this.#form.addEventListener("submit", (event) => this.#submit(event));
    dialog.addEventListener("click", (event) => this.#pressed(event.target.closest("[data-action]")));
    dialog.addEventListener("cancel", (event) => {
      // Escape leaves the form first, where there is a list to go back to.
      if (this.#form.hidden || !this.#listed) return;
      event.preventDefault();
      this.#list();
    });
  }

  /** Show the list. */
  open() {
    this.#lost = null;
    this.#list();
    this.#dialog.showModal();
  }

  /** Write a new prompt that begins as this text. */
  keep(text) {
    this.#listed = false;
    const title = text.trim().split("\n", 1)[0].slice(0, 40);
    this.#write({ title, text });
    this.#dialog.showModal();
    this.#form.elements.title.select();
  }

  #list() {
    this.#listed = true;
    this.#form.hidden = true;
    this.#parts.list.hidden = false;
    this.#draw();
    if (this.#dialog.open) this.#parts.new.focus();
  }

  #write({ id = "", title = "", text = "" }) {
    const { elements } = this.#form;
    this.#parts.list.hidden = true;
    this.#form.hidden = false;
    this.#form.dataset.id = id;
    [elements.title.value, elements.text.value] = [title, text];
    choose(this.#parts.problem, null);
    if (this.#dialog.open) elements.title.focus();
  }

  #draw() {
    this.#parts.none.hidden = this.#prompts.all.length > 0;
    this.#parts.lost.hidden = !this.#lost;
    write(this.#parts["lost-title"], this.#lost?.title ?? "");
    choose(this.#parts["list-problem"], null);
    this.#parts.rows.replaceChildren(...this.#prompts.all.map(({ id, title, text }) => {
      const row = clone("prompt-row");
      const parts = partsOf(row);
      row.dataset.id = id;
      write(parts.title, title);
      write(parts.text, text.replace(/\s+/g, " "));
      for (const button of row.querySelectorAll("button")) button.setAttribute("aria-describedby", (parts.title.id = `prompt-${id}`));
      return row;
    }));
  }

  async #pressed(button) {
    const id = button?.closest("[data-id]")?.dataset.id;
    const prompt = this.#prompts.all.find((one) => String(one.id) === id);
    const action = button?.dataset.action;
    if (action === "close-prompts") this.#dialog.close();
    else if (action === "new-prompt") this.#write({});
    else if (action === "edit-prompt") this.#write(prompt);
    else if (action === "leave-prompt") this.#listed ? this.#list() : this.#dialog.close();
    else if (action === "delete-prompt") await this.#remove(prompt);
    else if (action === "undo-prompt") await this.#bringBack();
  }

  async #remove(prompt) {
    this.#lost = prompt;
    if (await this.#prompts.remove(prompt.id)) this.#parts.undo.focus();
    else this.#refused();
  }

  async #bringBack() {
    const { title, text } = this.#lost;
    const lost = this.#lost;
    this.#lost = null;
    if (await this.#prompts.save({ title, text })) {
      this.#lost = lost;
      this.#refused();
    } else this.#parts.new.focus();
  }

  #refused() {
    this.#draw();
    choose(this.#parts["list-problem"], "failed");
  }

  async #submit(event) {
    event.preventDefault();
    const { id } = this.#form.dataset;
    const { title, text } = Object.fromEntries(new FormData(this.#form));
    const problem = await this.#prompts.save({ id: id === "" ? null : Number(id), title, text });
    choose(this.#parts.problem, problem);
    if (problem) return;
    if (this.#listed) this.#list();
    else {
      this.#dialog.close();
      this.#saved();
    }
  }
}
