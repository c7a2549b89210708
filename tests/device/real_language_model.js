/**
 * `LanguageModel` over a real model: SmolLM2 135M by llama.cpp in WebAssembly (wllama). Served by real_model.py; the page
 * must not know the difference to Chrome's own.
 */
(() => {
  const FILES = "/static/real-model/";
  let loading = null;
  let loaded = false;

  async function load(progress) {
    const { Wllama } = await import(`${FILES}index.mjs`);
    const wllama = new Wllama({ default: `${FILES}wllama.wasm` });
    const response = await fetch(`${FILES}model.gguf`);
    const size = Number(response.headers.get("content-length"));
    const parts = [];
    let read = 0;
    for await (const part of response.body) {
      parts.push(part);
      read += part.length;
      progress(read / size);
    }
    await wllama.loadModel([new Blob(parts)], { n_ctx: 2048, n_gpu_layers: 0 });
    loaded = true;
    return wllama;
  }

  class LanguageModel extends EventTarget {
    static async availability() {
      return loaded ? "available" : "downloadable";
    }

    static async create({ initialPrompts = [], monitor, tools }) {
      if (tools) throw new DOMException("This model knows no tools.", "NotSupportedError");
      const target = new EventTarget();
      monitor?.(target);
      loading ??= load((part) => target.dispatchEvent(new ProgressEvent("downloadprogress", { loaded: part, total: 1 })));
      const session = new LanguageModel();
      session.wllama = await loading;
      session.messages = initialPrompts;
      session.contextUsage = 0;
      session.contextWindow = 2048;
      return session;
    }

    promptStreaming(input, { signal } = {}) {
      const session = this;
      return new ReadableStream({
        async start(controller) {
          try {
            const stream = await session.wllama.createChatCompletion({
              messages: [...session.messages, { role: "user", content: input }],
              max_tokens: 160, temperature: 0, stream: true, abortSignal: signal,
            });
            for await (const { choices, usage } of stream) {
              if (usage) session.contextUsage = usage.total_tokens;
              const text = choices[0]?.delta.content;
              if (text) controller.enqueue(text);
            }
            controller.close();
          } catch (error) {
            controller.error(signal?.aborted ? signal.reason : error);
          }
        },
      });
    }

    destroy() {}
  }
  Object.defineProperty(globalThis, "LanguageModel", { value: LanguageModel, configurable: true });
})();
