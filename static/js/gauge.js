/**
 * How full the model's context was with the last answer, and what the shown answers cost together. What is not known is
 * not shown: windows come from the administrator or from the server that runs the model.
 */

import { count, money, share } from "./format.js";
import { cost, fits, sum } from "./prices.js";
import { partsOf } from "./templates.js";
import { write } from "./words.js";

const HIGH = 0.8;

export class Gauge {
  #element;
  #parts;
  #windows;

  /** `windows`: [{model, window}], the ones that count first. */
  constructor(element, windows) {
    this.#element = element;
    this.#parts = partsOf(element);
    this.#windows = windows;
  }

  /** `turns`: the shown elements, in order. */
  draw(turns) {
    const ended = turns.filter((one) => one.ended).map((one) => one.turn);
    const last = ended.findLast(({ context }) => context);
    const window = last && this.#windows.find(({ model }) => fits(model, last.model))?.window;
    const all = sum(ended.map(({ model, usage }) => cost(model, usage)).filter(Boolean));
    this.#parts.context.hidden = !window;
    if (window) this.#context(last.context, window);
    this.#parts.cost.hidden = !all;
    if (all) write(this.#parts.amount, money(all));
    this.#element.hidden = !window && !all;
  }

  #context(used, window) {
    const part = Math.min(1, used / window);
    const { context, meter, used: circle, share: words } = this.#parts;
    write(words, share(part));
    circle.setAttribute("stroke-dasharray", `${(100 * part).toFixed(1)} 100`);
    context.toggleAttribute("data-high", part >= HIGH);
    context.title = interpolate(gettext("%s of %s tokens of the model's context"), [count(used), count(window)]);
    meter.setAttribute("aria-valuenow", String(Math.round(100 * part)));
    meter.setAttribute("aria-valuetext", context.title);
  }
}
