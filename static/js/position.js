/**
 * Whether a frame of changes fits on what is shown. Pure; docs/protocol.md states the rule.
 *
 * A frame goes from one revision to another within one epoch. It fits only exactly; what is already shown is
 * dropped; anything else means that something is missing, and only the server can say what.
 */

/** "apply", "drop" or "ask", for a turn shown at `{epoch, rev}` (undefined: not shown) and a frame `{epoch, from, to}`. */
export function judge(shown, frame) {
  if (!shown || shown.epoch !== frame.epoch) return "ask";
  if (frame.to <= shown.rev) return "drop";
  return frame.from === shown.rev ? "apply" : "ask";
}
