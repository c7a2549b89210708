/** The figures under an answer: tokens, cache, time to the first token, speed. Only those that are known. */

import { count, rate, took } from "../format.js";
import { write } from "../words.js";

/** `some`: whether there is text to copy. */
export function drawFoot(parts, turn, some) {
  parts.foot.hidden = turn.state !== "ended";
  parts.copy.hidden = !some;
  if (parts.foot.hidden) return;
  const usage = turn.usage ?? {};
  const { first_token_at: first, ended_at: ended } = turn;
  const writing = first === null ? 0 : (ended - first) / 1000;
  figure(parts, "in", "tokens-in", usage.input_tokens, count);
  figure(parts, "out", "tokens-out", usage.output_tokens, count);
  figure(parts, "cache", "tokens-cache", usage.cache_read_tokens, count);
  figure(parts, "first", "first", first, took);
  figure(parts, "speed", "speed", turn.stop_reason && writing >= 0.5 ? (usage.output_tokens ?? 0) / writing : 0, rate);
}

function figure(parts, name, field, value, format) {
  parts[`figure-${name}`].hidden = !value;
  if (value) write(parts[field], format(value));
}
