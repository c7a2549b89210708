/**
 * Tells of an answer that ended while the page was out of sight: a mark in the title of the tab, and a notification of
 * the system where the user wants them.
 */

import { notifying } from "./preferences.js";
import { spoken } from "./words.js";

const MARK = "\u25CF ";

export class Notifier {
  constructor() {
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden && document.title.startsWith(MARK)) document.title = document.title.slice(MARK.length);
    });
  }

  /** `turn`: a chat-turn that has just ended on this page. */
  ended(turn) {
    const answer = turn.markdown || spoken(turn.querySelector("[data-part=ending-words]"));
    this.#tell(document.title.replace(MARK, ""), answer, turn.turnId);
  }

  /** An answer ended in another conversation: `{title, turn}`. */
  elsewhere({ title, turn }) {
    this.#tell(title, gettext("The answer has ended."), turn);
  }

  #tell(title, body, tag) {
    if (!document.hidden) return;
    if (!document.title.startsWith(MARK)) document.title = MARK + document.title;
    if (!notifying() || globalThis.Notification?.permission !== "granted") return;
    const shown = new Notification(title, { body: body.slice(0, 160), tag });
    shown.addEventListener("click", () => {
      focus();
      shown.close();
    });
  }
}
