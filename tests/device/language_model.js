/**
 * A double of Chrome's `LanguageModel`, after the IDL of the Prompt API: what it is told is in `told`, what it does is
 * in `script`, which a test may change at any time.
 *
 * script: availability; pieces; style "delta" or "cumulative"; hold: pieces after which it waits for `go()`; fails: {create,
 * prompt} names of errors; capacity: of initialPrompts in characters; tools: [[name, input], …] that it calls, together,
 * before its last piece; languages: those that it knows.
 */
(() => {
  const script = (window.script = {
    availability: "available", pieces: ["Hello ", "from ", "**here**."], style: "delta", hold: null, fails: {},
    capacity: Infinity, tools: [], languages: ["de", "en", "es", "fr", "ja"], download: 4, overflows: false,
    ...JSON.parse(sessionStorage.getItem("script") ?? "{}"),
  });
  const told = (window.told = { created: [], prompted: [], destroyed: 0, aborted: 0, results: [], calls: 0 });
  let resume = null;
  window.go = () => resume?.();
  const gate = () => new Promise((resolve) => (resume = resolve));
  const failure = (name, message = `said ${name}`) => Object.assign(new DOMException(message, name));
  const known = (options) => [...(options?.expectedInputs ?? []), ...(options?.expectedOutputs ?? [])].every(
    ({ languages }) => (languages ?? []).every((language) => script.languages.includes(language)));

  class LanguageModel extends EventTarget {
    static async availability(options = {}) {
      return known(options) ? script.availability : "unavailable";
    }

    static async create(options = {}) {
      options.signal?.throwIfAborted();
      if (script.fails.create) throw failure(script.fails.create);
      if (!known(options)) throw failure("NotSupportedError");
      if (options.tools && script.fails.tools) throw failure("NotSupportedError");
      if (script.availability === "unavailable") throw failure("NotSupportedError");
      if (script.availability !== "available") {
        if (script.availability === "downloadable" && !navigator.userActivation.isActive) throw failure("NotAllowedError");
        script.availability = "downloading";
        const monitor = new EventTarget();
        options.monitor?.(monitor);
        for (let i = 0; i <= script.download; i += 1) {
          monitor.dispatchEvent(new ProgressEvent("downloadprogress", { lengthComputable: true, loaded: i / script.download, total: 1 }));
          if (i === script.hold) await gate();
        }
        script.availability = "available";
      }
      const size = (options.initialPrompts ?? []).reduce((sum, { content }) => sum + content.length, 0);
      if (size > script.capacity) throw failure("QuotaExceededError");
      const { signal, monitor, tools, ...plain } = options;
      told.created.push({ ...plain, tools: (tools ?? []).map(({ name }) => name) });
      const session = new LanguageModel();
      session.tools = tools ?? [];
      session.contextUsage = Math.ceil(size / 4);
      session.contextWindow = 4096;
      return session;
    }

    promptStreaming(input, { signal } = {}) {
      told.prompted.push(input);
      const session = this;
      return new ReadableStream({
        async start(controller) {
          const abort = () => {
            told.aborted += 1;
            controller.error(signal.reason);
          };
          if (signal?.aborted) return abort();
          signal?.addEventListener("abort", abort);
          let text = "";
          try {
            if (script.overflows) session.dispatchEvent(new Event("contextoverflow"));
            for (const [i, piece] of script.pieces.entries()) {
              if (script.hold === i) await gate();
              await new Promise((resolve) => setTimeout(resolve, script.pause ?? 0));
              if (signal?.aborted) return;
              if (i === script.pieces.length - 1 && script.tools.length) {
                told.calls += 1;
                told.results.push(...(await Promise.all(script.tools.map(([name, value]) => session.tools.find((tool) => tool.name === name).execute(value)))));
              }
              text += piece;
              controller.enqueue(script.style === "cumulative" ? text : piece);
            }
            if (script.fails.prompt) throw failure(script.fails.prompt);
            session.contextUsage += Math.ceil((input.length + text.length) / 4);
            controller.close();
          } catch (error) {
            if (!signal?.aborted) controller.error(error);
          }
        },
      });
    }

    destroy() {
      told.destroyed += 1;
    }
  }
  Object.defineProperty(globalThis, "LanguageModel", { value: LanguageModel, writable: true, configurable: true });
})();
