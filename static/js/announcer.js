/** Says to people who listen that an answer began, and how it ended. Never the text itself, token by token. */

import { spoken } from "./words.js";

export class Announcer {
  #region;

  /** `region`: the one polite live region of the page. */
  constructor(region) {
    this.#region = region;
  }

  #asking = false;

  /** `turn`: a chat-turn; `before`: its state a moment ago. */
  turned(turn, before) {
    const asked = turn.asking && !this.#asking;
    this.#asking = turn.asking;
    if (asked) this.#say(gettext("A tool waits for your permission."));
    if (asked || before === turn.turn.state) return;
    if (turn.turn.state === "thinking") this.#say(gettext("Thinking"));
    else if (turn.turn.state === "answering" && before !== "tool") this.#say(gettext("Answering"));
    else if (turn.ended) this.#say(this.#ended(turn));
  }

  #ended(turn) {
    if (turn.turn.ending === "complete") return gettext("The answer is complete.");
    return spoken(turn.querySelector("[data-part=ending-words]"));
  }

  #say(words) {
    this.#region.textContent = words;
  }
}
