/** Lets the browser keep the page that it shows without a network. */

export function wireOffline() {
  if (!navigator.serviceWorker || !isSecureContext) return;
  const policy = globalThis.trustedTypes?.createPolicy("streamrender-offline", { createScriptURL: () => "/worker.js" });
  // Where a browser refuses (a private window, no room), the page works without it.
  navigator.serviceWorker.register(policy?.createScriptURL("") ?? "/worker.js").catch(() => {});
}
