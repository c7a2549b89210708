/** Rows of frames or events: read page by page, filtered by the server, each opened to its whole text. */

import { count, size } from "../format.js";
import { clone, partsOf } from "../templates.js";
import { choose, write } from "../words.js";

const COLUMNS = new Intl.NumberFormat("en", { useGrouping: false, minimumFractionDigits: 3, maximumFractionDigits: 3 });

/** Milliseconds as seconds to the millisecond, the same width in every row. */
const seconds = (ms) => COLUMNS.format(ms / 1000);

/** JSON on several lines, anything else as it is. */
function laidOut(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

const TELLING = ["text", "thinking", "partial_json", "content", "reasoning_content", "arguments", "delta", "stop_reason"];

/** What a frame says, in one line: the text that it brings if it brings one, otherwise all of it. */
export function gist(data) {
  try {
    return said(JSON.parse(data)) ?? data;
  } catch {
    return data;
  }
}

function said(value) {
  if (value === null || typeof value !== "object") return null;
  for (const key of TELLING) if (typeof value[key] === "string" && value[key]) return JSON.stringify(value[key]);
  for (const inner of Object.values(value)) {
    const text = said(inner);
    if (text !== null) return text;
  }
  return null;
}

export class Rows {
  #address;
  #parts;
  #query = "";
  #asked = 0;

  /** `place`: where the rows go; `address`: where they are read; `first(answer)`: told of each first page. */
  constructor(place, address, first = () => {}) {
    const element = clone("rows");
    this.#address = address;
    this.first = first;
    this.#parts = partsOf(element);
    // The count stands among words of which only the true ones are in the document.
    this.total = this.#parts.total;
    this.#parts.more.addEventListener("click", () => this.#read(Number(this.#parts.more.value)));
    element.addEventListener("click", (event) => {
      if (event.target.closest("[data-action=again]")) this.show(this.#query);
    });
    place.replaceChildren(element);
  }

  /** Show the rows that hold `query`. */
  show(query) {
    this.#query = query;
    return this.#read(0);
  }

  async #read(after) {
    const ask = ++this.#asked;
    choose(this.#parts.state, "loading");
    const answer = await read(`${this.#address}?${new URLSearchParams({ q: this.#query, after })}`);
    if (ask !== this.#asked) return;
    if (!answer) {
      choose(this.#parts.state, "failed");
      return;
    }
    if (!after) {
      this.first(answer);
      this.#parts.list.replaceChildren();
    }
    this.#parts.list.append(...answer.rows.map((row) => this.#row(row)));
    write(this.total, count(answer.total));
    choose(this.#parts.state, answer.total ? "some" : "none");
    this.#parts.more.hidden = answer.next === null;
    this.#parts.more.value = answer.next ?? "";
  }

  #row(row) {
    const element = clone("row");
    const parts = partsOf(element);
    write(parts.at, seconds(row.at));
    write(parts.gap, row.gap ? `+${seconds(row.gap)}` : "");
    write(parts.name, row.name || (row.kind === "event" ? "data" : row.kind));
    write(parts.gist, gist(row.data));
    write(parts.size, size(row.size));
    element.classList.toggle("row-odd", row.kind !== "event" || row.name === "error" || row.name === "fault");
    parts.whole.hidden = !row.cut;
    parts.whole.addEventListener("click", async () => {
      const answer = await read(`${this.#address}?n=${row.n}`);
      if (!answer) return;
      parts.data.textContent = laidOut(answer.rows[0].data);
      parts.whole.hidden = true;
    });
    element.querySelector("details").addEventListener("toggle", () => {
      if (!parts.data.textContent) parts.data.textContent = row.cut ? row.data : laidOut(row.data);
    });
    return element;
  }
}

/** What the server has there, null when it was not reached or refused. */
export async function read(address) {
  try {
    const response = await fetch(address);
    return response.ok ? await response.json() : null;
  } catch {
    return null;
  }
}
