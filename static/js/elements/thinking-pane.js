/**
 * Thinking: open while it goes on, closed by itself as soon as something follows it.
 *
 * Open or closed is a function of what is known: the reader's own choice if there is one, else what the reader
 * likes in general, else open as long as nothing stands after it. While it is open by itself it is a window of a few lines that stays at the end of the
 * text; opened by hand and finished, it shows all of it. Reading back inside the window counts as a choice: the
 * pane is not taken away from somebody who reads it.
 */

import { apply } from "../apply.js";
import { showCaps } from "../caps.js";
import { ticker } from "../clock.js";
import { running, took } from "../format.js";
import { StickToEnd } from "../scroll.js";
import { thinking } from "../preferences.js";
import { clone, partsOf } from "../templates.js";
import { renew } from "../tree.js";
import { chosen, remember } from "../toggles.js";
import { choose, write } from "../words.js";

export class ThinkingPane extends HTMLElement {
  #parts;
  #turn;
  #last = true;

  /** `turn`: {id, clock} of the turn it belongs to. */
  static build(pane, turn) {
    const element = clone("thinking");
    element.#turn = turn;
    element.#parts = partsOf(element);
    element.show(pane);
    element.#wire();
    return element;
  }

  /** Show this pane in place of what is shown. */
  show(pane) {
    this.pane = pane;
    renew(this.#parts.root, pane.html);
    this.#draw();
  }

  /** This pane as it is shown now. */
  get shown() {
    return { ...this.pane, html: this.#parts.root.innerHTML };
  }

  #wire() {
    const { root, window, fold, close } = this.#parts;
    new StickToEnd(window, root, (sticking) => this.#scrolled(sticking));
    fold.querySelector("summary").addEventListener("click", (event) => {
      event.preventDefault();
      this.#choose(!fold.open);
    });
    close.addEventListener("click", () => {
      this.#choose(false);
      fold.querySelector("summary").focus();
    });
  }

  /** Whether nothing stands after this pane. */
  set last(last) {
    this.#last = last;
    this.#draw();
  }

  /** The user likes it otherwise now. */
  prefer() {
    this.#draw();
  }

  ops(ops) {
    apply(this.#parts.root, ops);
  }

  set(fields) {
    Object.assign(this.pane, fields);
    this.#turn.clock.learn(fields.ended_at);
    this.#draw();
  }

  grow(field, text) {
    this.pane[field] = (this.pane[field] ?? "") + text;
  }

  tick() {
    const { started_at: started, ended_at: ended } = this.pane;
    write(this.#parts.elapsed, ended === null ? running(this.#turn.clock.now() - started) : took(ended - started));
  }

  #choose(open) {
    remember(this.#turn.id, this.pane.id, open);
    this.#draw();
  }

  #scrolled(sticking) {
    const { window } = this.#parts;
    window.toggleAttribute("data-clipped", window.scrollTop > 0);
    if (!sticking && this.#parts.fold.open && chosen(this.#turn.id, this.pane.id) === null && this.pane.state === "live") {
      remember(this.#turn.id, this.pane.id, true);
    }
  }

  #draw() {
    const live = this.pane.state === "live";
    const choice = chosen(this.#turn.id, this.pane.id);
    this.dataset.state = this.pane.state;
    this.toggleAttribute("data-superseded", Boolean(this.pane.superseded));
    this.toggleAttribute("data-whole", !live && choice === true);
    this.#parts.fold.open = choice ?? (thinking() === "auto" ? this.#last : thinking() === "open");
    showCaps(this.#parts.fold, this.pane.caps, this.#parts.close);
    choose(this.#parts.words, this.pane.state);
    ticker.set(this, live);
    this.tick();
  }
}

customElements.define("thinking-pane", ThinkingPane);
