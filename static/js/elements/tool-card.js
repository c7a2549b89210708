/** A tool call: its arguments as they arrive, how it goes, and what came out. All of it plain text. */

import { ticker } from "../clock.js";
import { running, size, took } from "../format.js";
import { clone, partsOf } from "../templates.js";
import { chosen, remember } from "../toggles.js";
import { choose, write } from "../words.js";

const PREVIEW = 120;

export class ToolCard extends HTMLElement {
  #parts;
  #turn;
  #rows = [];
  #images = undefined;

  /** `turn`: {id, clock} of the turn it belongs to. */
  static build(pane, turn) {
    const element = clone("tool");
    element.#turn = turn;
    element.#parts = partsOf(element);
    const { result } = element.#parts;
    result.open = chosen(turn.id, pane.id) ?? false;
    result.querySelector("summary").addEventListener("click", () => remember(turn.id, pane.id, !result.open));
    element.show(pane);
    return element;
  }

  /** Show this pane in place of what is shown. */
  show(pane) {
    this.pane = pane;
    this.#drawArguments();
    this.#draw();
  }

  set(fields) {
    Object.assign(this.pane, fields);
    for (const at of [fields.run_at, fields.ended_at]) this.#turn.clock.learn(at);
    if ("args" in fields) this.#drawArguments();
    this.#draw();
  }

  grow(field, text) {
    this.pane[field] = (this.pane[field] ?? "") + text;
    this.#draw();
  }

  /** Row `i` of the arguments: a new one, or more text for the one there. */
  argument(i, key, text, complete) {
    const row = this.pane.args[i];
    if (row) {
      row[1] += text;
      row[2] = complete;
      append(this.#rows[i].value, text);
    } else {
      this.pane.args[i] = [key, text, complete];
      this.#addRow(this.pane.args[i]);
    }
    this.#rows[i].element.toggleAttribute("data-open", !complete);
  }

  tick() {
    const { run_at: run, started_at: started, ended_at: ended } = this.pane;
    const from = run ?? started;
    write(this.#parts.elapsed, ended === null ? running(this.#turn.clock.now() - from) : took(ended - from));
  }

  #drawArguments() {
    this.#rows = [];
    this.#parts.arguments.replaceChildren();
    this.pane.args.forEach((row) => this.#addRow(row));
  }

  #addRow([key, text, complete]) {
    const element = clone("argument");
    const { key: name, value } = partsOf(element);
    name.textContent = key;
    value.textContent = text;
    element.toggleAttribute("data-open", !complete);
    this.#rows.push({ element, value });
    this.#parts.arguments.append(element);
  }

  #draw() {
    const { pane } = this;
    const parts = this.#parts;
    const unfinished = pane.ended_at === null && !["done", "failed", "absent", "incomplete", "stopped"].includes(pane.state);
    this.dataset.state = pane.state;
    this.toggleAttribute("data-superseded", Boolean(pane.superseded));
    write(parts.name, pane.name);
    choose(parts.icon, pane.server ? "server" : "ours");
    choose(parts.state, pane.state);
    write(parts.bytes, pane.bytes ? size(pane.bytes) : "");
    write(parts.progress, pane.progress);
    parts.progress.hidden = !pane.progress || pane.result !== null;
    if (!parts.progress.hidden) parts.progress.scrollTop = parts.progress.scrollHeight;
    parts.approval.hidden = pane.state !== "asking";
    parts.always.hidden = Boolean(pane.each_time);
    this.#drawResult();
    this.#drawImages();
    ticker.set(this, unfinished);
    this.tick();
  }

  #drawResult() {
    const { result, result_error: error } = this.pane;
    const parts = this.#parts;
    parts.result.hidden = result === null;
    if (result === null) return;
    const line = result.trim().split("\n", 1)[0];
    write(parts.output, result);
    write(parts.preview, line.length > PREVIEW ? `${line.slice(0, PREVIEW)}…` : line);
    parts.empty.hidden = result !== "" || Boolean(this.pane.images);
    parts.result.toggleAttribute("data-failed", error);
    choose(parts["result-words"], this.pane.state === "absent" ? "told" : error ? "error" : "result");
  }

  /** Pictures in the result; streamrender/page/pictures.py says which there may be. */
  #drawImages() {
    const { images } = this.pane;
    const part = this.#parts.images;
    if (images === this.#images) return;
    this.#images = images;
    part.hidden = !images;
    part.replaceChildren(
      ...(images ?? []).map(({ media_type: kind, data }) => {
        const image = clone("tool-image");
        image.src = `data:${kind};base64,${data}`;
        return image;
      }),
    );
  }
}

/** Append to the one text node of `element`. */
function append(element, text) {
  if (element.lastChild) element.lastChild.appendData(text);
  else element.textContent = text;
}

customElements.define("tool-card", ToolCard);
