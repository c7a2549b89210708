/**
 * Files beside the message that is being written: chosen, dropped or pasted, sent up at once, shown with what became
 * of them. What the server has is remembered with the draft, so that a reload loses nothing.
 */

import { count, size } from "./format.js";
import { ask } from "./ask.js";
import { clone, partsOf } from "./templates.js";
import { choose, write } from "./words.js";

const PREFIX = "files:";

export class Attachments extends EventTarget {
  #list;
  #name;
  #items = new Map();
  #next = 0;

  /** `list`: where they are shown; `input`: the file field; `place`: what they are dropped on; `box`: where they are
   * pasted; `name`: of the draft. Tells "changed". */
  constructor(list, { input, place, box, name }) {
    super();
    this.#list = list;
    this.#name = name;
    input.addEventListener("change", () => {
      this.add(input.files);
      input.value = "";
    });
    box.addEventListener("paste", (event) => {
      if (!event.clipboardData.files.length) return;
      event.preventDefault();
      this.add(event.clipboardData.files);
    });
    for (const type of ["dragover", "dragleave", "drop"]) {
      place.addEventListener(type, (event) => {
        if (![...event.dataTransfer.types].includes("Files")) return;
        event.preventDefault();
        place.toggleAttribute("data-dropping", type === "dragover");
        if (type === "drop") this.add(event.dataTransfer.files);
      });
    }
    this.#recall();
  }

  /** What the server has of them. */
  get ready() {
    return [...this.#items.values()].map(({ about }) => about).filter(Boolean);
  }

  /** Whether one is still on its way. */
  get busy() {
    return [...this.#items.values()].some(({ request }) => request);
  }

  get some() {
    return this.#items.size > 0;
  }

  /** The draft is another one now; `files` stand beside it, by default those that were remembered with it. */
  open(name, files = null) {
    this.#clear();
    this.#name = name;
    if (files) this.put(files);
    else this.#recall();
  }

  /** Show files that the server has. */
  put(files) {
    for (const about of files) this.#show(about).about = about;
    this.#changed();
  }

  /** Take them out to be sent: what the server has of them. */
  take() {
    const files = this.ready;
    this.#clear();
    this.#changed();
    return files;
  }

  /** Send files up. */
  add(files) {
    for (const file of files) this.#upload(file);
    this.#changed();
  }

  #upload(file) {
    const item = this.#show({ name: file.name, bytes: file.size, kind: "" });
    const request = (item.request = new XMLHttpRequest());
    const body = new FormData(document.getElementById("csrf"));
    body.set("file", file);
    request.upload.addEventListener("progress", ({ loaded, total }) => {
      write(item.parts.share, count(Math.floor((loaded / total) * 100)));
    });
    request.addEventListener("loadend", () => {
      item.request = null;
      const answer = parsed(request.responseText);
      if (request.status === 201 && answer) {
        item.about = answer;
        this.#draw(item, answer);
      } else choose(item.parts.state, request.status === 413 ? "too_large" : (answer?.code ?? "failed"));
      this.#changed();
    });
    request.open("POST", "/attachments/");
    choose(item.parts.state, "sending");
    request.send(body);
  }

  #show(about) {
    const element = clone("attachment");
    const item = { element, parts: partsOf(element), about: null, request: null };
    const key = this.#next++;
    this.#items.set(key, item);
    item.parts.remove.addEventListener("click", () => this.#remove(key));
    this.#draw(item, about);
    this.#list.append(element);
    return item;
  }

  #draw({ parts }, about) {
    write(parts.name, about.name);
    write(parts.size, size(about.bytes));
    choose(parts.state, null);
    parts.picture.hidden = about.kind !== "image";
    if (about.kind === "image") parts.picture.src = about.url;
    parts.icon.hidden = about.kind === "image";
    parts.remove.setAttribute("aria-label", `${parts.remove.title}: ${about.name}`);
  }

  #remove(key) {
    const { element, about, request } = this.#items.get(key);
    request?.abort();
    this.#items.delete(key);
    element.remove();
    if (about) ask(`${about.url}delete/`);
    this.#changed();
  }

  #clear() {
    for (const { request } of this.#items.values()) request?.abort();
    this.#items.clear();
    this.#list.replaceChildren();
  }

  #recall() {
    this.put(parsed(localStorage.getItem(PREFIX + this.#name)) ?? []);
  }

  #changed() {
    this.#list.hidden = !this.some;
    if (this.ready.length) localStorage.setItem(PREFIX + this.#name, JSON.stringify(this.ready));
    else localStorage.removeItem(PREFIX + this.#name);
    this.dispatchEvent(new Event("changed"));
  }
}

/** The files of a message that was sent, as elements. */
export function drawFiles(list, files) {
  const known = JSON.stringify(files);
  if (list.dataset.files === known) return;
  list.dataset.files = known;
  list.hidden = !files.length;
  list.replaceChildren(
    ...files.map((about) => {
      const element = clone("file");
      const parts = partsOf(element);
      parts.link.href = about.url;
      write(parts.name, about.name);
      write(parts.size, size(about.bytes));
      parts.picture.hidden = about.kind !== "image";
      parts.icon.hidden = about.kind === "image";
      if (about.kind === "image") {
        parts.picture.src = about.url;
        parts.picture.alt = about.name;
      }
      return element;
    }),
  );
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
