/** The message box: grows with its text, keeps its draft, sends on Enter but never out of an input method. */

import { sendKey } from "./preferences.js";

const KEY = "draft:";

export class Composer extends EventTarget {
  #form;
  #box;
  #send;
  #stop;
  #running = false;
  #conversation;
  #edited = null;
  #draft = "";
  #draftFiles = [];
  #files;

  /** `form`: the composer; `conversation`: its id for the draft, null for a new chat; `files`: makes the Attachments
   * for a draft's name. Tells "send", "stop", and "recall" when the last message is wanted back. */
  constructor(form, conversation, files) {
    super();
    this.#form = form;
    this.#conversation = conversation;
    this.#box = form.elements.message;
    this.#send = form.querySelector("[data-part=send]");
    this.#stop = form.querySelector("[data-part=stop]");
    this.#box.value = localStorage.getItem(this.#key) ?? "";
    this.#files = files(conversation ?? "new");
    this.#files.addEventListener("changed", () => this.#changed());
    this.#box.addEventListener("input", () => this.#changed());
    this.#box.addEventListener("keydown", (event) => this.#pressed(event));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
    this.#stop.addEventListener("click", () => this.stop());
    form.querySelector("[data-action=cancel-edit]").addEventListener("click", () => this.edit(null));
    this.#changed();
  }

  get model() {
    return this.#form.elements.model?.value ?? null;
  }

  get running() {
    return this.#running;
  }

  /** While an answer is being written there is a Stop button, and what is sent waits for its end. */
  set running(running) {
    this.#running = running;
    this.#stop.hidden = !running;
    if (!running) this.#stop.disabled = false;
    this.#changed();
  }

  /** The new chat became this conversation. */
  set conversation(id) {
    localStorage.removeItem(this.#key);
    this.#conversation = id;
    this.#files.open(id);
    this.#changed();
  }

  /** Edit the message of this turn instead of writing a new one; with null go back to what was being written. */
  edit(turn) {
    if (!this.#edited) {
      this.#draft = this.#box.value;
      this.#draftFiles = this.#files.ready;
    }
    this.#edited = turn;
    this.#box.value = turn ? turn.text : this.#draft;
    const draft = this.#conversation ?? "new";
    if (turn) this.#files.open(`edit:${turn.turnId}`, turn.files);
    else this.#files.open(draft, this.#draftFiles);
    this.#form.querySelector("[data-part=editing]").hidden = !turn;
    this.#changed();
    this.focus();
  }

  get editing() {
    return this.#edited !== null;
  }

  /** Put a message back that could not be sent, unless something else was written meanwhile. */
  restore(text, files = []) {
    if (this.#box.value.trim() || this.#files.some) return;
    this.#box.value = text;
    this.#files.put(files);
    this.#changed();
    this.focus();
  }

  /** Put text in as a quotation, behind what is written. */
  quote(text) {
    const quoted = text.split("\n").map((line) => `> ${line}`.trimEnd()).join("\n");
    const written = this.#box.value.trimEnd();
    this.#box.value = `${written}${written && "\n\n"}${quoted}\n\n`;
    this.#changed();
    this.focus();
    this.#box.scrollTop = this.#box.scrollHeight;
  }

  focus() {
    this.#box.focus();
  }

  stop() {
    if (!this.#running || this.#stop.disabled) return;
    // Whoever cannot stop it now says so by preventing the default.
    this.#stop.disabled = this.dispatchEvent(new Event("stop", { cancelable: true }));
  }

  get #key() {
    return KEY + (this.#conversation ?? "new");
  }

  #pressed(event) {
    if (event.key === "Escape" && this.editing) {
      event.preventDefault();
      this.edit(null);
    }
    const plain = !(event.shiftKey || event.ctrlKey || event.altKey || event.metaKey || event.isComposing);
    if (event.key === "ArrowUp" && plain && !this.#box.value && !this.editing) {
      event.preventDefault();
      this.dispatchEvent(new Event("recall"));
    }
    // 229: Safari ends a composition before the Enter that ended it.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    const plainEnter = !event.ctrlKey && !event.metaKey;
    if (plainEnter && sendKey() === "ctrl_enter") return;
    if (plainEnter && matchMedia("(pointer: coarse) and (hover: none)").matches) return;
    event.preventDefault();
    this.#submit();
  }

  #submit() {
    const text = this.#box.value;
    const edited = this.#edited;
    if (!this.#sendable || (this.#running && edited)) return;
    const files = this.#files.take();
    this.#box.value = "";
    if (edited) this.edit(null);
    else this.#changed();
    this.dispatchEvent(new CustomEvent("send", { detail: { text, edited, files } }));
  }

  /** Whether there is a message, and all of it is here. */
  get #sendable() {
    return Boolean(this.#box.value.trim() || this.#files.ready.length) && !this.#files.busy;
  }

  #changed() {
    const text = this.#box.value;
    if (this.#edited) localStorage.setItem(this.#key, this.#draft);
    else if (text) localStorage.setItem(this.#key, text);
    else localStorage.removeItem(this.#key);
    this.#send.disabled = !this.#sendable;
    this.#send.hidden = this.#running && (!(text.trim() || this.#files.some) || this.editing);
    const { now, later } = this.#send.dataset;
    this.#send.ariaLabel = this.#send.title = this.#running ? later : now;
    if (!CSS.supports("field-sizing", "content")) this.#grow();
  }

  #grow() {
    this.#box.style.height = "auto";
    this.#box.style.height = `${this.#box.scrollHeight}px`;
  }
}
