/**
 * The models of this device in the page: offered in the picker where they exist, and a line over the message box that
 * says what the chosen one needs or is doing.
 */

import { partsOf } from "../templates.js";
import { choose, write } from "../words.js";
import { Feeder } from "./feeder.js";
import { MediaPipe } from "./mediapipe.js";
import { Picker } from "./picker.js";
import { PromptApi } from "./prompt-api.js";

const READY = ["available", "usage", "trimmed", "overflow", "loading", "loaded"];

export class Devices {
  #element;
  #parts;
  #models = new Map();
  #states = new Map();
  #picker;
  #feeder;
  #work = null;
  #looked;

  /** `element`: the line; `form`: the composer; `config`: of the server; `chosen`: the model of the conversation;
   * `url`: of the socket; `send(frame)`: by it. */
  constructor({ element, form, config, chosen, url, send }) {
    this.#element = element;
    this.#parts = partsOf(element);
    this.#picker = new Picker(form, chosen, element.dataset.preferred);
    this.#looked = this.#look(config);
    const find = (key) => this.#models.get(key);
    this.#feeder = new Feeder({ url, send, find, looked: this.#looked, tell: (key, what, detail) => this.#say(key, what, detail) });
    this.#parts.file.addEventListener("change", () => this.#keep(this.#parts.file.files[0]));
    element.addEventListener("click", ({ target }) => ACTIONS[target.closest("button")?.dataset.action]?.call(this));
    form.addEventListener("change", ({ target }) => target.name === "model" && this.#draw());
  }

  /** What is shown is whether the chosen model can answer now; without a model of this device that is always so. */
  ready(key = this.#picker.value) {
    if (!this.#models.has(key)) return true;
    const ready = READY.includes(this.#states.get(key)?.what);
    this.#element.toggleAttribute("data-wanted", !ready);
    return ready;
  }

  outfit(frame) {
    this.#feeder.outfit(frame);
  }

  receive(frame) {
    this.#feeder.receive(frame);
  }

  async #look({ mediapipe }) {
    const found = [];
    if (globalThis.LanguageModel) found.push(new PromptApi(globalThis.LanguageModel, document.documentElement.lang));
    if (mediapipe) found.push(new MediaPipe(mediapipe));
    for (const model of found) {
      const state = await model.state();
      if (state === "unavailable") continue;
      this.#models.set(model.key, model);
      this.#picker.offer(model.key, LABELS[model.key]());
      this.#say(model.key, state);
    }
  }

  /** A model tells its state, or what the reader should know of it. */
  #say(key, what, detail) {
    const before = this.#states.get(key);
    // How full the context is comes last, and must not hide that something was left out.
    const kept = what === "usage" && ["trimmed", "overflow"].includes(before?.what) ? before.what : what;
    if (what === "progress") this.#states.set(key, { what: detail < 1 ? "downloading" : "available", part: detail });
    else if (what === "loading") this.#states.set(key, { what, part: detail });
    else this.#states.set(key, { what: kept, usage: what === "usage" ? detail : before?.usage });
    this.#show(key);
  }

  #set(key, state) {
    this.#states.set(key, state);
    this.#show(key);
  }

  #show(key) {
    this.#picker.mark(key, MARKS[this.#states.get(key).what]?.() ?? "");
    this.#draw();
  }

  #draw() {
    const key = this.#picker.value;
    const model = this.#models.get(key);
    this.#element.hidden = !model;
    if (!model) return;
    const { what, part, usage } = this.#states.get(key);
    const parts = this.#parts;
    this.#element.dataset.state = what;
    choose(parts.words, what === "loaded" || what === "usage" ? "available" : what);
    const measured = part !== undefined && part < 1;
    write(parts.part, measured ? new Intl.NumberFormat(document.documentElement.lang, { style: "percent" }).format(part) : "");
    parts.bar.hidden = !measured;
    if (measured) parts.bar.value = part;
    write(parts.name, model.name);
    parts.context.hidden = !(usage?.used > 0 && usage.size > 0 && Number.isFinite(usage.size));
    if (!parts.context.hidden) {
      const number = new Intl.NumberFormat(document.documentElement.lang);
      write(parts.used, number.format(usage.used));
      write(parts.size, number.format(usage.size));
    }
    const idle = !this.#work && !["downloading", "keeping", "loading"].includes(what);
    parts.download.hidden = !(idle && what === "downloadable");
    parts.choose.hidden = !(idle && model instanceof MediaPipe);
    parts.fetch.hidden = !(idle && model.url && !model.name);
    parts.forget.hidden = !(idle && model.name && model instanceof MediaPipe);
    this.#element.toggleAttribute("data-wanted", false);
  }

  /** Do one thing with a model that takes its time; a failure is said. */
  async #do(what, action) {
    const key = this.#picker.value;
    const model = this.#models.get(key);
    if (this.#work || !model) return;
    this.#set(key, { what });
    this.#work = action(model, (part) => this.#set(key, { what, part }));
    this.#draw();
    let failed = null;
    try {
      await this.#work;
    } catch (error) {
      failed = error;
    }
    this.#work = null;
    this.#parts.file.value = "";
    const state = await model.state();
    this.#say(key, failed && state !== "available" ? "failed" : state);
    write(this.#parts.detail, failed ? failed.message : "");
  }

  #keep(file) {
    if (file) this.#do("keeping", (model, progress) => model.keep(file, progress));
  }

  download() {
    this.#do("downloading", (model, progress) => model.prepare(progress));
  }

  fetch() {
    this.#do("keeping", (model, progress) => model.keep(null, progress));
  }

  forget() {
    this.#do("forgetting", (model) => model.forget());
  }
}

const ACTIONS = {
  "device-download": Devices.prototype.download,
  "device-fetch": Devices.prototype.fetch,
  "device-forget": Devices.prototype.forget,
};

const LABELS = {
  "device:prompt-api": () => gettext("The browser's own model"),
  "device:mediapipe": () => gettext("Gemma by MediaPipe"),
};

const MARKS = {
  downloadable: () => gettext("to be downloaded"),
  downloading: () => gettext("downloading"),
  empty: () => gettext("needs a file"),
};
