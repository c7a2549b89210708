/** The line under an answer that says how it ended, and what can be done about it. */

import { choose, write } from "../words.js";
import { drawFault } from "./fault.js";

const CONTINUES = ["length", "tool_limit", "stopped", "error", "cut_off", "interrupted"];
const LIMITS = ["length", "length_in_thinking"];
const FAULTS = ["error", "cut_off", "interrupted"];

/** `some`: whether anything arrived before the end; without it there is nothing to continue. */
export function drawEnding(parts, turn, some) {
  const { ending, error } = turn;
  parts.ending.hidden = !ending || ending === "complete";
  const device = turn.provider === "device";
  choose(parts["ending-words"], parts.ending.hidden ? null : device && ending === "cut_off" ? "device-cut_off" : ending);
  if (!ending) return;
  drawFault(parts, "fault", error ?? {}, device);
  const detail = ending === "refusal" ? turn.refusal?.explanation || turn.refusal?.category : device && ending === "cut_off" ? "" : error?.message;
  write(parts.detail, detail ?? "");
  parts.detail.hidden = !detail;
  parts.ending.toggleAttribute("data-fault", FAULTS.includes(ending));
  parts.more.hidden = device || !LIMITS.includes(ending);
  parts.continue.hidden = !some || !CONTINUES.includes(ending);
}
