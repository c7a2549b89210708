/** Gemma's chat template, which MediaPipe leaves to its caller. */

const MARK = /<(start_of_turn|end_of_turn|bos|eos)>/g;

/** The prompt for a conversation that ends with a question. Gemma knows no system prompt: it stands before the first
 * message. What looks like a mark of the template in anybody's text is made harmless. */
export function gemma(system, messages) {
  const turns = messages.map(({ role, content }, i) => {
    const text = i === 0 && system ? `${system}\n\n${content}` : content;
    return `<start_of_turn>${role === "assistant" ? "model" : "user"}\n${text.replace(MARK, "< $1>").trim()}<end_of_turn>\n`;
  });
  return `${turns.join("")}<start_of_turn>model\n`;
}

/** What Gemma wrote, up to the mark that ends its turn. */
export function ended(text) {
  const at = text.search(/<(end_of_turn|eos)>/);
  return at < 0 ? text : text.slice(0, at);
}
