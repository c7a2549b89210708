/** Stands in for the library's bundle: its loader and its WebAssembly are the real ones, only the model is not. */

import * as real from "./real_bundle.mjs";

for (const method of ["generateResponse", "sizeInTokens", "cancelProcessing", "close"]) {
  if (typeof real.LlmInference.prototype[method] !== "function") throw new Error(`The library has no ${method}.`);
}

export class LlmInference {
  #busy = false;
  #cancelled = false;

  static async createFromOptions({ wasmLoaderPath, wasmBinaryPath }, { baseOptions, maxTokens }) {
    await import(wasmLoaderPath);
    const module = await self.ModuleFactory({ locateFile: () => wasmBinaryPath });
    if (!(module.HEAPU8?.length > 0)) throw new Error("The WebAssembly module has no memory.");
    const made = new LlmInference();
    made.maxTokens = maxTokens;
    made.bytes = 0;
    for (;;) {
      const { done, value } = await baseOptions.modelAssetBuffer.read();
      if (done) return made;
      made.bytes += value.length;
    }
  }

  sizeInTokens(text) {
    return Math.ceil(text.length / 4);
  }

  async generateResponse(prompt, listener) {
    if (this.#busy) throw new Error("Previous invocation or loading is still ongoing.");
    if (this.#cancelled) throw new Error("Cancelled before it began.");
    this.#busy = true;
    let text = "";
    const say = (piece, done) => {
      text += piece;
      listener(piece, done);
    };
    for (const piece of ["The file has ", `${this.bytes} bytes.\n\n`, "```\n", prompt, "\n```\n"]) say(piece.replaceAll("<end_of_turn>", "<end>"), false);
    for (let n = 0; prompt.split("<start_of_turn>user").at(-1).includes("slowly") && n < 3000 && !this.#cancelled; n += 1) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      say(`tick${n} `, false);
    }
    for (const piece of ["Done", ".<end_", "of_turn>", "never shown"]) say(piece, false);
    say("", true);
    this.#busy = false;
    return text;
  }

  cancelProcessing() {
    this.#cancelled = true;
  }

  clearCancelSignals() {
    this.#cancelled = false;
  }

  close() {}
}
