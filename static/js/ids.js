/** Ids made in the page. */

/** A random UUID, also where the page is not a secure context. */
export function uuid() {
  if (globalThis.crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** The id of this tab: survives its reload, not its end. */
export function tabId() {
  let id = sessionStorage.getItem("tab");
  if (!id) sessionStorage.setItem("tab", (id = uuid()));
  return id;
}
