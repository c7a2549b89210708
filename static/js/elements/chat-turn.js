/**
 * One turn: what the user wrote, and all that came of it.
 *
 * The one renderer of turns. Law: a turn built from a snapshot and then given the changes after it is the same
 * document as a turn built from the later snapshot. So each part is drawn as a function of the data alone.
 */

import { drawFiles } from "../attachments.js";
import { TurnClock } from "../clock.js";
import { clone, partsOf } from "../templates.js";
import { write } from "../words.js";
import { drawEnding } from "./ending.js";
import { drawFoot } from "./foot.js";
import { Instrument } from "./instrument.js";
import { NotePane } from "./note-pane.js";
import { TextPane } from "./text-pane.js";
import { ThinkingPane } from "./thinking-pane.js";
import { ToolCard } from "./tool-card.js";

const KINDS = { text: TextPane, thinking: ThinkingPane, tool: ToolCard };
const NOTES = ["absent", "redacted", "seam", "superseded", "unknown"];

export class ChatTurn extends HTMLElement {
  #parts;
  #panes = new Map();
  #instrument;
  #context = { id: "", clock: null };

  /** `frame`: a snapshot frame. */
  static build(frame) {
    const element = clone("turn");
    element.#parts = partsOf(element);
    element.#instrument = new Instrument(element.#parts);
    element.show(frame);
    return element;
  }

  /** Show this snapshot in place of what is shown; what is the same stays the same nodes. */
  show({ turn, parent, user, model, page }) {
    this.id = `turn-${turn}`;
    this.turnId = turn;
    this.parent = parent;
    this.text = user.text;
    this.model = model;
    this.turn = page.turn;
    this.#context.id = turn;
    this.#context.clock = new TurnClock(user.created);
    this.#learn(page.turn);
    this.files = user.attachments ?? [];
    drawFiles(this.#parts.files, this.files);
    write(this.#parts.question, user.text);
    this.#parts.question.hidden = !user.text;
    const ids = new Set(page.panes.map(({ id, kind }) => `${id} ${kind}`));
    for (const [id, element] of this.#panes) if (!ids.has(`${id} ${element.pane.kind}`)) this.#remove(id);
    for (const pane of page.panes) {
      if (this.#panes.has(pane.id)) this.#panes.get(pane.id).show(pane);
      else this.#add(pane);
    }
    this.#draw();
  }

  /** Apply changes; gives nothing. Their vocabulary is in docs/protocol.md. */
  change(changes) {
    for (const [verb, ...rest] of changes) this[VERBS[verb]](...rest);
    this.#draw();
  }

  get ended() {
    return this.turn.state === "ended";
  }

  /** Whether a tool waits for permission. */
  get asking() {
    return !this.ended && [...this.#panes.values()].some((pane) => pane.pane.kind === "tool" && pane.pane.state === "asking");
  }

  /** Its panes as they are shown now, in the shape that a snapshot has. */
  get panes() {
    return [...this.#panes.values()].map(({ shown, pane }) => structuredClone(shown ?? pane));
  }

  /** The whole answer as Markdown. */
  get markdown() {
    const texts = [...this.#panes.values()].filter((pane) => pane instanceof TextPane && !pane.pane.superseded);
    return texts.map((pane) => pane.markdown.trim()).filter(Boolean).join("\n\n");
  }

  /** Say which of several versions this is: `index` from 0, of `total`. */
  version(index, total) {
    this.#parts.versions.hidden = total < 2;
    write(this.#parts.version, `${index + 1} / ${total}`);
    this.#parts["version-back"].disabled = index === 0;
    this.#parts["version-on"].disabled = index === total - 1;
  }

  tick() {
    this.#instrument.tick();
  }

  addPane(pane) {
    this.#add(structuredClone(pane));
  }

  changePane(id, ops) {
    this.#panes.get(id).ops(ops);
  }

  setPane(id, fields) {
    this.#panes.get(id).set(structuredClone(fields));
  }

  growPane(id, field, text) {
    this.#panes.get(id).grow(field, text);
  }

  changeArgument(id, i, key, text, complete) {
    this.#panes.get(id).argument(i, key, text, complete);
  }

  setTurn(fields) {
    Object.assign(this.turn, fields);
    this.#learn(fields);
  }

  #add(pane) {
    const note = NOTES.includes(pane.kind);
    const known = note || pane.kind in KINDS;
    const data = known ? pane : { ...pane, kind: "unknown", block_type: pane.kind };
    const element = (KINDS[data.kind] ?? NotePane).build(data, this.#context);
    element.id = `pane-${this.turnId}-${pane.id}`;
    this.#learn(pane);
    for (const earlier of this.#panes.values()) if (earlier instanceof ThinkingPane) earlier.last = false;
    this.#panes.set(pane.id, element);
    this.#parts.panes.append(element);
  }

  #remove(id) {
    this.#panes.get(id).remove();
    this.#panes.delete(id);
  }

  #learn(fields) {
    for (const name of ["started_at", "first_token_at", "ended_at"]) this.#context.clock.learn(fields[name]);
  }

  #draw() {
    this.dataset.state = this.turn.state;
    if (this.turn.ending) this.dataset.ending = this.turn.ending;
    else delete this.dataset.ending;
    this.#parts.answer.setAttribute("aria-busy", String(!this.ended));
    const doing = this.asking ? "asking" : this.turn.state;
    this.#instrument.draw(this.turn, doing, this.turn.model || this.model || "", this.#context.clock, this);
    drawEnding(this.#parts, this.turn, this.#panes.size > 0);
    drawFoot(this.#parts, this.turn, [...this.#panes.values()].some((pane) => pane instanceof TextPane));
  }
}

const VERBS = { pane: "addPane", ops: "changePane", set: "setPane", grow: "growPane", arg: "changeArgument", turn: "setTurn" };

customElements.define("chat-turn", ChatTurn);
