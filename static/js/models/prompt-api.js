/**
 * The browser's own model by the Prompt API (`LanguageModel`), as a model like any other.
 *
 * Each answer has a session of its own, made from the conversation as the server has it: so versions, edits and other
 * tabs need no care here. Tools are run by the server; the API waits for their results inside the one stream.
 */

import { styled } from "./style.js";

export class PromptApi {
  key = "device:prompt-api";
  name = "";
  #api;
  #language;
  #expected = null;

  /** `api`: `LanguageModel`; `language`: that of the page, which the model should read and write. */
  constructor(api, language) {
    this.#api = api;
    this.#language = language.split("-", 1)[0];
  }

  /** "unavailable", "downloadable", "downloading" or "available". */
  async state() {
    for (const languages of this.#language === "en" ? [["en"]] : [[this.#language, "en"], ["en"]]) {
      const expected = { expectedInputs: [{ type: "text", languages }], expectedOutputs: [{ type: "text", languages }] };
      try {
        const state = await this.#api.availability(expected);
        if (state === "unavailable") continue;
        this.#expected = expected;
        return state;
      } catch {
        // A language that it does not know: ask for less.
      }
    }
    return "unavailable";
  }

  /** Download what is missing; `progress(part)` is told from 0 to 1. Must follow a click. */
  async prepare(progress, signal) {
    const session = await this.#api.create({ ...this.#expected, signal, monitor: monitor(progress) });
    session.destroy();
  }

  /** The lines of one answer. `call(name, input)` runs a tool and gives its result as text; `tell(what, detail)` says
   * what the reader should know. */
  async *answer({ system, messages, tools }, { signal, call, tell }) {
    if (!this.#expected) await this.state();
    const session = await this.#create(system, messages.slice(0, -1), tools.map((tool) => callable(tool, call)), signal, tell);
    try {
      const overflow = () => tell("overflow");
      session.addEventListener("contextoverflow", overflow);
      session.addEventListener("quotaoverflow", overflow);
      yield* styled(session.promptStreaming(messages.at(-1).content, { signal }));
      tell("usage", { used: session.contextUsage ?? session.inputUsage, size: session.contextWindow ?? session.inputQuota });
    } finally {
      session.destroy();
    }
  }

  /** A session that knows as much of the conversation as fits, the newest part. */
  async #create(system, earlier, tools, signal, tell) {
    const first = system ? [{ role: "system", content: system }] : [];
    for (;;) {
      try {
        const options = { ...this.#expected, initialPrompts: [...first, ...earlier], signal, monitor: monitor((part) => tell("progress", part)) };
        return await this.#api.create(tools.length ? { ...options, tools } : options);
      } catch (error) {
        if (error.name === "QuotaExceededError" && earlier.length) {
          earlier = newer(earlier);
          tell("trimmed");
        } else if (tools.length && (error.name === "NotSupportedError" || error.name === "TypeError")) {
          tools = [];
        } else {
          throw error;
        }
      }
    }
  }
}

/** The newer half of the messages, beginning with a question. */
export function newer(messages) {
  const rest = messages.slice(Math.ceil(messages.length / 2));
  const start = rest.findIndex(({ role }) => role === "user");
  return start < 0 ? [] : rest.slice(start);
}

function monitor(progress) {
  return (target) => target.addEventListener("downloadprogress", ({ loaded, total }) => progress(total ? loaded / total : loaded));
}

function callable({ name, description, input_schema: inputSchema }, call) {
  return { name, description, inputSchema, execute: (input) => call(name, input ?? {}) };
}
