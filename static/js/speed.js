/**
 * About how many tokens per second an answer comes with, while it comes. Most providers count at the end only, so it
 * is estimated from the text that is shown; the exact figure stands under the answer afterwards.
 */

const SOON = 1000;
const FEW = 20;
const FAR = 0x2e80;
const FAR_END = 0xd7ff;
const WIDE = 0xff00;

/** About how many tokens a text is: four letters to one, of Chinese, Japanese and Korean three signs to two. */
export function tokens(text) {
  let far = 0;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if ((code >= FAR && code <= FAR_END) || code >= WIDE) far += 1;
  }
  return (text.length - far) / 4 + (far * 2) / 3;
}

/** Tokens per second since the first one, `ms` ago; null while that says nothing. `panes`: holds the answer. */
export function speed(panes, ms) {
  if (ms < SOON) return null;
  let sum = 0;
  for (const part of panes.querySelectorAll(":scope > :not([data-superseded]) :is(.prose, .tool-arguments)")) sum += tokens(part.textContent);
  return sum < FEW ? null : (sum * 1000) / ms;
}
