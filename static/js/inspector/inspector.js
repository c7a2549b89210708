/**
 * The panel that shows what really happened in a turn: figures, requests, raw frames, events.
 *
 * It reads from the server only what is opened. While the turn runs it is read again every two seconds, without
 * closing what the reader has opened.
 */

import { count, rate, size, took } from "../format.js";
import { clone, partsOf } from "../templates.js";
import { choose, write } from "../words.js";
import { read, Rows } from "./rows.js";
import { drawStrip } from "./strip.js";

const AGAIN = 2000;
const PAUSE = 200;

export class Inspector {
  #element;
  #parts;
  #opener = null;
  #turn = null;
  #exchanges = new Map();
  #journal = null;
  #timer = 0;
  #typing = 0;

  constructor(element) {
    this.#element = element;
    this.#parts = partsOf(element);
    this.#parts.close.addEventListener("click", () => this.close());
    element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      event.preventDefault();
      this.close();
    });
    this.#parts.note.addEventListener("click", (event) => {
      if (event.target.closest("[data-action=again]")) this.#load();
    });
    this.#parts.filter.addEventListener("input", () => {
      clearTimeout(this.#typing);
      this.#typing = setTimeout(() => this.#filter(), PAUSE);
    });
    this.#parts.journal.addEventListener("toggle", () => this.#openJournal());
  }

  /** Show this turn; pressed again on the same one, close. */
  toggle(turn, opener) {
    if (this.#turn === turn) {
      this.close();
      return;
    }
    this.#opener = opener;
    this.#turn = turn;
    this.#exchanges.clear();
    this.#journal = null;
    this.#parts.requests.replaceChildren();
    this.#parts.journal.open = false;
    this.#parts.report.hidden = true;
    this.#element.hidden = false;
    this.#element.focus();
    choose(this.#parts.note, "loading");
    this.#load();
  }

  close() {
    clearTimeout(this.#timer);
    this.#turn = null;
    this.#element.hidden = true;
    if (this.#opener?.isConnected) this.#opener.focus();
  }

  async #load() {
    clearTimeout(this.#timer);
    const turn = this.#turn;
    const found = await read(`/inspect/${turn.turnId}/`);
    if (turn !== this.#turn) return;
    const running = found ? found.turn.status !== "ended" : !turn.ended;
    choose(this.#parts.note, found ? (running ? "running" : null) : "failed");
    this.#parts.note.hidden = Boolean(found) && !running;
    if (found) this.#draw(found);
    if (running) this.#timer = setTimeout(() => this.#load(), AGAIN);
  }

  #draw({ figures, exchanges }) {
    const parts = this.#parts;
    const known = (value, format) => (value === null || value === undefined ? "–" : format(value));
    parts.report.hidden = false;
    for (const name of ["first", "last", "gap"]) write(parts[name], known(figures[name], took));
    write(parts.rate, known(figures.rate, rate));
    write(parts.deltas, count(figures.deltas));
    write(parts.tokens, count(figures.tokens));
    choose(parts.health, figures.verdict);
    parts.health.dataset.verdict = figures.verdict;
    const faults = Object.entries(figures.faults);
    parts.faults.hidden = !faults.length;
    write(parts["fault-list"], faults.map(([kind, times]) => `${kind} × ${count(times)}`).join(", "));
    exchanges.forEach((exchange, i) => this.#exchange(exchange, i + 1));
  }

  /** `place`: from 1; requests of turns that this one goes on with come first. */
  #exchange(exchange, place) {
    const key = `${exchange.turn}/${exchange.number}`;
    if (!this.#exchanges.has(key)) {
      const element = clone("exchange");
      const parts = partsOf(element);
      const address = `/inspect/${key}`;
      const own = exchange.turn === this.#turn.turnId;
      write(parts.number, count(place));
      parts.before.hidden = own;
      write(parts.wire, exchange.wire);
      write(parts.url, exchange.url);
      parts.download.href = `${address}.sse`;
      const rows = new Rows(parts.rows, `${address}/`, ({ request, headers }) => {
        write(parts.request, request);
        write(parts.headers, Object.entries(headers).map((pair) => pair.join(": ")).join("\n"));
      });
      const made = { element, parts, rows, own, read: false };
      element.addEventListener("toggle", () => this.#openExchange(made));
      const first = own && ![...this.#exchanges.values()].some((one) => one.own);
      this.#exchanges.set(key, made);
      this.#parts.requests.append(element);
      if (first) element.open = true;
    }
    const { parts } = this.#exchanges.get(key);
    write(parts.status, exchange.status === null ? "–" : String(exchange.status));
    write(parts.size, size(exchange.bytes));
    write(parts.time, took(exchange.duration));
    parts.short.hidden = exchange.kept >= exchange.bytes;
    parts.error.hidden = !exchange.error;
    write(parts.error, exchange.error ? `${exchange.error.type}: ${exchange.error.message}` : "");
    drawStrip(parts.strip, exchange.strip);
    parts.strip.setAttribute("aria-label", gettext("Bytes over time"));
  }

  #openExchange(made) {
    if (!made.element.open || made.read) return;
    made.read = true;
    made.rows.show(this.#parts.filter.value);
  }

  #openJournal() {
    if (!this.#parts.journal.open || this.#journal) return;
    this.#journal = new Rows(this.#parts["journal-rows"], `/inspect/${this.#turn.turnId}/events/`);
    this.#journal.show(this.#parts.filter.value);
  }

  #filter() {
    const query = this.#parts.filter.value;
    for (const made of this.#exchanges.values()) {
      if (made.element.open) made.rows.show(query);
      else made.read = false;
    }
    if (this.#parts.journal.open) this.#journal.show(query);
    else this.#journal = null;
  }
}
