/** What keeps a pane from showing its whole text as it is written: words below it, one line for each reason. */

import { clone } from "./templates.js";

/** Let `host` say why, right before `mark` (null: at its end). `caps`: "depth" and "size", or nothing. */
export function showCaps(host, caps = [], mark = null) {
  let notes = host.querySelector(":scope > .caps");
  if (!caps.length) return notes?.remove();
  if (!notes) host.insertBefore((notes = clone("caps")), mark);
  for (const note of notes.children) note.hidden = !caps.includes(note.dataset.cap);
}
