/**
 * Whether a browser's pieces append, or repeat all the text so far (early versions of the Prompt API).
 *
 * The first piece is the same in both styles and goes on at once. One look at the second can be wrong: "ha", "haha" may
 * be either. So a piece that could be a repetition is held back until the next one settles it.
 */

const REPEATED = 4000;
const TELLING = 3;

/** The lines of the chunks wire for these pieces, with their style. Where repetitions grow dear, only what is new goes
 * on. */
export async function* styled(pieces) {
  let style = null;
  let first = "";
  let held = null;
  let soFar = "";
  yield { style: "delta" };
  for await (const piece of pieces) {
    if (style === "delta") {
      yield piece;
    } else if (style === "cumulative" && (soFar.length < REPEATED || !piece.startsWith(soFar))) {
      yield (soFar = piece);
    } else if (style === "cumulative") {
      style = "shortened";
      yield { style: "delta" };
      yield piece.slice(soFar.length);
      soFar = piece;
    } else if (style === "shortened") {
      yield piece.startsWith(soFar) ? piece.slice(soFar.length) : piece;
      soFar = piece;
    } else if (first === "") {
      yield (first = piece);
    } else if (held === null && longer(piece, first)) {
      held = piece;
    } else if (held !== null && longer(piece, held)) {
      style = "cumulative";
      yield { style };
      yield held;
      yield (soFar = piece);
      held = null;
    } else {
      style = "delta";
      if (held !== null) yield held;
      yield piece;
      held = null;
    }
  }
  if (held === null) return;
  if (first.length >= TELLING) yield { style: "cumulative" };
  yield held;
}

const longer = (text, start) => text.length > start.length && text.startsWith(start);
