/**
 * The turns of the conversation on this page, and the frames that change them.
 *
 * Every way to a turn is the same: a snapshot frame, from the page itself or from the socket, then frames of
 * changes that fit exactly (position.js). What does not fit is asked for again, never guessed. A message that was
 * just sent is shown at once under its client id and takes the turn's id when the server has it.
 */

import { ChatTurn } from "./elements/chat-turn.js";
import { uuid } from "./ids.js";
import { leading, path } from "./path.js";
import { judge } from "./position.js";

export class Conversation extends EventTarget {
  #list;
  #turns = new Map();
  #chosen = new Map();
  #asked = new Set();
  #outbox;
  #connection = null;

  /** `list`: the element that holds the turns; `page`: {conversation, turns} as the server embedded it. */
  constructor(list, page, outbox) {
    super();
    this.#list = list;
    this.#outbox = outbox;
    this.id = page.conversation?.id ?? null;
    for (const frame of page.turns) this.#put(frame);
    this.#lead(page.turns.at(-1)?.turn);
    this.#show();
  }

  /** The connection that frames go out on. Messages that never got an answer are shown, and go out again. */
  attach(connection) {
    this.#connection = connection;
    for (const frame of this.#outbox.waiting(this.id)) this.#pend(frame);
  }

  /** What a hello says: the conversation, and where each turn is. */
  greeting() {
    const known = [...this.#turns].filter(([, { epoch }]) => epoch);
    return { conversation: this.id, turns: Object.fromEntries(known.map(([id, { epoch, rev }]) => [id, { epoch, rev }])) };
  }

  /** The turn that is being written, or null. */
  get running() {
    return [...this.#turns.values()].map(({ element }) => element).findLast((element) => !element.ended) ?? null;
  }

  get empty() {
    return this.#turns.size === 0;
  }

  /** Send a message as the next turn, or in place of the turn `edited`, which stays as another version.
   * `files`: what the server has of its attachments; `id`: of the submit, where it has one already. */
  submit(text, model, edited = null, files = [], id = uuid()) {
    const last = this.#list.querySelector("chat-turn:last-of-type");
    const parent = edited ? edited.parent : (last?.turnId ?? null);
    this.#send({ id, text, model, parent, retry: null, files });
  }

  /** Ask for another answer to the message of `turn`. */
  retry(turn, model, more = false) {
    this.#send({ more, text: turn.text, model, parent: turn.parent, retry: turn.turnId, id: uuid(), files: turn.files });
  }

  /** Ask for the rest of an answer that ended too early: another version of it, which begins with what came. */
  goOn(turn, model) {
    this.#send({ goesOn: true, text: turn.text, model, parent: turn.parent, retry: turn.turnId, id: uuid(), files: turn.files });
  }

  /** Stop a turn. One that the server has not confirmed yet is taken back, or stopped as soon as it is. */
  stop(turn) {
    const shown = this.#turns.get(turn.turnId);
    if (!shown.pending) return this.#connection.send({ type: "stop", id: uuid(), turn: turn.turnId });
    if (turn.turn.state === "unsent") this.refused({ id: turn.turnId, code: null });
    else shown.unwanted = true;
    return true;
  }

  /** Answer the question whether a tool may run. */
  approve(turn, call, granted, always = false) {
    this.#connection.send({ type: "approve", id: uuid(), turn: turn.turnId, call, granted, always });
  }

  /** Show the version before (-1) or after (1) this turn. */
  turnOver(turn, step) {
    const place = this.#path().find(({ id }) => id === turn.turnId);
    const id = place.versions[place.versions.indexOf(turn.turnId) + step];
    if (!id) return;
    this.#chosen.set(place.parent, id);
    this.#show();
  }

  /** Show the branch that this turn is on; gives its element, null when there is no such turn. */
  reveal(turn) {
    if (!this.#turns.has(turn)) return null;
    this.#lead(turn);
    this.#show();
    return this.#turns.get(turn).element;
  }

  receive(frame) {
    const handle = { welcome: "welcomed", snapshot: "snapshot", ops: "changed", ok: "accepted", no: "refused", title: "titled", removed: "removed" };
    if (frame.type in handle) this[handle[frame.type]](frame);
  }

  welcomed() {
    this.#asked.clear();
    for (const frame of this.#outbox.waiting(this.id)) {
      this.#tell("sending", { frame });
      this.#connection.send(frame);
    }
    for (const { element, pending } of this.#turns.values()) if (pending) element.change([["turn", { state: "queued" }]]);
  }

  snapshot(frame) {
    if (this.id === null || frame.conversation !== this.id) return;
    const before = this.#turns.get(frame.turn)?.element.turn.state;
    this.#put(frame);
    this.#show();
    this.#acknowledge(frame.turn, before);
  }

  changed(frame) {
    const shown = this.#turns.get(frame.turn);
    const verdict = judge(shown, frame);
    if (verdict === "ask") this.#ask(frame.turn);
    if (verdict === "drop") this.#connection.send({ type: "ack", turn: frame.turn, rev: shown.rev });
    if (verdict !== "apply") return;
    const before = shown.element.turn.state;
    shown.element.change(frame.changes);
    shown.rev = frame.to;
    this.#acknowledge(frame.turn, before);
  }

  accepted({ id, conversation, turn }) {
    this.#outbox.done(id);
    const isNew = this.id === null;
    this.id = conversation;
    const waiting = this.#turns.get(id);
    this.#turns.delete(id);
    if (waiting && !this.#turns.has(turn)) {
      waiting.element.turnId = turn;
      waiting.element.id = `turn-${turn}`;
      waiting.pending = false;
      this.#turns.set(turn, waiting);
    }
    for (const [parent, chosen] of this.#chosen) if (chosen === id) this.#chosen.set(parent, turn);
    this.#show();
    if (waiting?.unwanted) this.stop(waiting.element);
    if (isNew) this.#tell("founded", { id: conversation, text: waiting?.element.text ?? "" });
  }

  refused({ id, code }) {
    this.#outbox.done(id);
    const waiting = this.#turns.get(id);
    if (!waiting) return;
    this.#turns.delete(id);
    this.#chosen.forEach((chosen, parent) => chosen === id && this.#chosen.delete(parent));
    this.#show();
    this.#tell("refused", { code, text: waiting.retry ? "" : waiting.element.text, files: waiting.retry ? [] : waiting.element.files });
  }

  titled({ conversation, title }) {
    this.#tell("titled", { id: conversation, title });
  }

  /** Turns were deleted, here or elsewhere; with none named, some came back. */
  removed({ conversation, turns }) {
    if (conversation !== this.id) return;
    for (const id of turns) this.#turns.delete(id);
    this.#chosen.forEach((chosen, parent) => turns.includes(chosen) && this.#chosen.delete(parent));
    if (!turns.length) this.#connection.hello();
    this.#show();
  }

  #send({ id, text, model, parent, retry, files, more = false, goesOn = false }) {
    const attachments = retry ? [] : files.map((about) => about.id);
    const frame = { type: "submit", id, conversation: this.id, parent, text, model, retry, attachments };
    if (more) frame.more = true;
    if (goesOn) frame.continue = true;
    this.#tell("sending", { frame });
    this.#outbox.keep(frame);
    this.#pend(frame, files);
    this.#connection.send(frame);
  }

  /** Show a message that the server has not confirmed. */
  #pend({ id, parent, text, model, retry, continue: goesOn }, attachments = []) {
    const state = this.#connection.reaching ? "queued" : "unsent";
    const turn = { state, model: "", ending: null, error: null, usage: {}, first_token_at: null, ended_at: null, retry: null };
    const panes = (goesOn && this.#turns.get(retry)?.element.panes) || [];
    const element = ChatTurn.build({ turn: id, parent, user: { text, created: null, attachments }, model: "", page: { turn, panes } });
    this.#turns.set(id, { element, epoch: null, rev: 0, pending: true, retry });
    this.#lead(id);
    this.#show();
    this.#tell("sent", { element, model });
  }

  #put(frame) {
    const shown = this.#turns.get(frame.turn);
    this.#asked.delete(frame.turn);
    if (shown) {
      shown.element.show(frame);
      Object.assign(shown, { epoch: frame.epoch, rev: frame.rev, pending: false });
      return;
    }
    this.#turns.set(frame.turn, { element: ChatTurn.build(frame), epoch: frame.epoch, rev: frame.rev, pending: false });
    this.#lead(frame.turn);
  }

  #ask(turn) {
    if (this.#asked.has(turn)) return;
    this.#asked.add(turn);
    this.#connection.hello();
  }

  #acknowledge(turn, before) {
    const { element, rev } = this.#turns.get(turn);
    this.#connection?.send({ type: "ack", turn, rev });
    this.#tell("turned", { element, before });
  }

  #path() {
    return path(this.#family(), this.#chosen);
  }

  /** Go where this turn is, whoever began it. */
  #lead(id) {
    for (const [parent, version] of leading(this.#family(), id)) this.#chosen.set(parent, version);
  }

  #family() {
    return [...this.#turns].map(([id, { element }]) => ({ id, parent: element.parent }));
  }

  /** Put the turns of the path into the document, moving none that stands right. */
  #show() {
    const steps = this.#path();
    const elements = steps.map(({ id }) => this.#turns.get(id).element);
    for (const element of [...this.#list.children]) if (!elements.includes(element)) element.remove();
    elements.forEach((element, i) => {
      if (this.#list.children[i] !== element) this.#list.insertBefore(element, this.#list.children[i] ?? null);
      element.version(steps[i].versions.indexOf(steps[i].id), steps[i].versions.length);
    });
    this.#tell("shown");
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
