/**
 * The figures under an answer: tokens, cache, cost, time to the first token, speed. Only those that are known. Before
 * them, where another model answered than was asked: which.
 */

import { count, money, rate, took } from "../format.js";
import { cost } from "../prices.js";
import { write } from "../words.js";

/** `some`: whether there is text to copy. */
export function drawFoot(parts, turn, some) {
  parts.foot.hidden = turn.state !== "ended";
  parts.copy.hidden = !some;
  if (parts.foot.hidden) return;
  const usage = turn.usage ?? {};
  const { asked, served } = turn.substituted ?? {};
  parts["figure-substituted"].hidden = !served;
  write(parts.served, served ?? "");
  write(parts.asked, asked ?? "");
  const { first_token_at: first, ended_at: ended } = turn;
  const writing = first === null ? 0 : (ended - first) / 1000;
  // Until a stop reason comes, the count of output tokens is the placeholder that streams begin with.
  const out = turn.stop_reason ? (usage.output_tokens ?? 0) : 0;
  figure(parts, "in", "tokens-in", usage.input_tokens, count);
  figure(parts, "out", "tokens-out", out, count);
  figure(parts, "cache", "tokens-cache", usage.cache_read_tokens, count);
  figure(parts, "cost", "cost", turn.stop_reason ? cost(turn.model, usage) : null, money);
  figure(parts, "first", "first", first, took);
  figure(parts, "speed", "speed", writing >= 0.5 ? out / writing : 0, rate);
}

function figure(parts, name, field, value, format) {
  parts[`figure-${name}`].hidden = !value;
  if (value) write(parts[field], format(value));
}
