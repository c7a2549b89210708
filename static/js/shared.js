/** A shared conversation: its snapshots shown by the one renderer, with nothing to send. */

import { copy } from "./copy.js";
import { ChatTurn } from "./elements/chat-turn.js";

const list = document.getElementById("turns");
for (const frame of JSON.parse(document.getElementById("shared").textContent)) list.append(ChatTurn.build(frame));

const ACTIONS = { "copy-question": (turn) => turn.text, "copy-answer": (turn) => turn.markdown };
list.addEventListener("click", (event) => {
  const button = event.target.closest("[data-action]");
  const text = ACTIONS[button?.dataset.action]?.(button.closest("chat-turn"));
  if (text !== undefined) copy(text, button);
});
