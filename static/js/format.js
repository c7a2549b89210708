/** Numbers and times as the page's language writes them. */

const language = () => globalThis.document?.documentElement.lang || "en";
const formats = new Map();

function number(value, options) {
  const key = `${language()} ${JSON.stringify(options)}`;
  if (!formats.has(key)) formats.set(key, new Intl.NumberFormat(language(), options));
  return formats.get(key).format(value);
}

/** A number with its unit: "12 s", "12秒". A Latin unit stands apart by a thin space that does not break. */
function unit(value, name, digits = 0) {
  const options = { style: "unit", unit: name, unitDisplay: name === "minute" ? "short" : "narrow", minimumFractionDigits: digits, maximumFractionDigits: digits };
  return number(value, options).replace(/(\d)\s*(?=[A-Za-z])/, "$1\u202f");
}

/** A count with its thousands marked. */
export const count = (value) => number(value, {});

/** Whole seconds of something that still goes on: "12 s", "1 min 5 s". Counts down never, up only at full seconds. */
export function running(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return seconds < 60 ? unit(seconds, "second") : minutes(seconds);
}

/** How long something took: tenths under ten seconds, whole seconds after that. */
export function took(ms) {
  if (ms < 50) return `<\u00a0${unit(0.1, "second", 1)}`;
  const seconds = ms / 1000;
  if (seconds < 9.95) return unit(seconds, "second", 1);
  return Math.round(seconds) < 60 ? unit(Math.round(seconds), "second") : minutes(Math.round(seconds));
}

function minutes(seconds) {
  const rest = seconds % 60;
  return rest ? `${unit((seconds - rest) / 60, "minute")} ${unit(rest, "second")}` : unit(seconds / 60, "minute");
}

/** A size: bytes to 1,000, then kilobytes with one digit. */
export function size(bytes) {
  return bytes < 1000 ? unit(bytes, "byte") : unit(bytes / 1000, "kilobyte", 1);
}

/** An amount of money, as {amount, currency}: small ones with two digits that count. */
export function money({ amount, currency }) {
  const digits = amount >= 1 ? 2 : Math.min(6, 1 - Math.floor(Math.log10(amount || 1)));
  return number(amount, { style: "currency", currency, minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** A part of a whole, in percent. */
export const share = (value) => number(value, { style: "percent" });

/** Tokens per second: one digit under ten. */
export const rate = (value) => number(value, { maximumFractionDigits: value < 10 ? 1 : 0 });
