/** The worker that holds MediaPipe: loads the library when it is first needed, and writes one answer at a time. */

import { ended, gemma } from "./gemma.js";
import { keep, stored } from "./model-file.js";
import { newer } from "./prompt-api.js";

const TOKENS = 2048;
const ANSWER_TOKENS = 512;

let inference = null;

const ACTIONS = {
  keep: ({ file }, tell) => keep(file.stream(), file.name, file.size, tell),

  async fetch({ url }, tell) {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`The model file could not be had: ${response.status}`);
    const name = new URL(response.url).pathname.split("/").pop() || "model.task";
    await keep(response.body, name, Number(response.headers.get("content-length")), tell);
  },

  async load({ library, loader, binary }, tell) {
    const { LlmInference } = await import(library);
    const kept = await stored();
    if (!kept) throw new Error("There is no model file.");
    const file = await kept.file();
    const modelAssetBuffer = counted(file, tell).getReader();
    inference?.close();
    inference = await LlmInference.createFromOptions(
      { wasmLoaderPath: loader, wasmBinaryPath: binary },
      { baseOptions: { modelAssetBuffer }, maxTokens: TOKENS },
    );
  },

  async answer({ system, messages }, tell) {
    const prompt = fitting(system, messages, () => tell({ trimmed: true }));
    let text = "";
    let told = 0;
    inference.clearCancelSignals?.();
    await inference.generateResponse(prompt, (piece) => {
      text += piece;
      const shown = ended(text);
      // A mark of the template may come in pieces.
      const sure = shown.length < text.length ? shown.length : shown.length - tail(shown);
      if (sure > told) tell(shown.slice(told, sure));
      told = Math.max(told, sure);
    });
    const shown = ended(text);
    if (shown.length > told) tell(shown.slice(told));
  },
};

/** The prompt with as much of the conversation as leaves room for an answer. */
function fitting(system, messages, trimmed) {
  for (;;) {
    const prompt = gemma(system, messages);
    const size = inference.sizeInTokens?.(prompt) ?? 0;
    if (size <= TOKENS - ANSWER_TOKENS) return prompt;
    const rest = messages.length > 1 ? [...newer(messages.slice(0, -1)), messages.at(-1)] : [];
    if (!rest.length) throw Object.assign(new Error(`The message has ${size} tokens, the model takes ${TOKENS}.`), { name: "QuotaExceededError" });
    messages = rest;
    trimmed();
  }
}

/** How many characters at the end may be the beginning of a mark. */
function tail(text) {
  const at = text.lastIndexOf("<");
  return at >= 0 && ["<end_of_turn>", "<eos>"].some((mark) => mark.startsWith(text.slice(at))) ? text.length - at : 0;
}

function counted(file, tell) {
  let read = 0;
  let told = 0;
  const count = new TransformStream({
    transform(chunk, controller) {
      read += chunk.length;
      if (read / file.size - told >= 0.01) tell((told = read / file.size));
      controller.enqueue(chunk);
    },
  });
  return file.stream().pipeThrough(count);
}

addEventListener("message", async ({ data: { id, do: action, ...rest } }) => {
  if (action === "cancel") {
    inference?.cancelProcessing?.();
    return;
  }
  try {
    await ACTIONS[action](rest, (progress) => postMessage({ id, progress }));
    postMessage({ id });
  } catch (error) {
    postMessage({ id, error: { name: error?.name ?? "Error", message: String(error?.message ?? error) } });
  }
});
