/**
 * How the user likes the page: a dialog, and marks on the root element that the parts of the page read when they
 * act. What is saved takes effect at once, in this browser's other tabs too.
 */

import { permissionsIn } from "./permissions.js";
import { partsOf } from "./templates.js";

const root = document.documentElement;

export const sendKey = () => root.dataset.sendKey ?? "enter";

/** "auto", "open" or "closed". */
export const thinking = () => root.dataset.thinking ?? "auto";

export const notifying = () => root.dataset.notifications !== undefined;

/** `changed()` is called when something else is true now. */
export function wirePreferences(dialog, openers, changed) {
  const form = dialog.querySelector("form");
  const parts = partsOf(form);
  const readPermissions = permissionsIn(form.querySelector(".permissions"));
  const others = new BroadcastChannel("preferences");
  const take = (values) => {
    root.dataset.sendKey = values.send_key;
    root.dataset.thinking = values.thinking;
    root.toggleAttribute("data-notifications", Boolean(values.notifications));
    changed();
  };
  others.addEventListener("message", ({ data }) => take(data));
  for (const opener of openers) {
    opener.addEventListener("click", () => {
      opener.closest("details").open = false;
      parts.failed.hidden = parts.denied.hidden = true;
      readPermissions();
      dialog.showModal();
    });
  }
  form.elements.notifications.addEventListener("change", async ({ target }) => {
    parts.denied.hidden = true;
    if (!target.checked) return;
    const answer = globalThis.Notification ? await Notification.requestPermission() : "denied";
    target.checked = answer === "granted";
    parts.denied.hidden = answer === "granted";
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const body = new FormData(form);
    let response = null;
    try {
      response = await fetch(form.action, { method: "POST", body });
    } catch {
      // The network is away: the dialog stays open, and the form can be sent again.
    }
    parts.failed.hidden = Boolean(response?.ok);
    if (!response?.ok) return;
    const values = Object.fromEntries(body);
    delete values.csrfmiddlewaretoken;
    take(values);
    others.postMessage(values);
    dialog.close();
  });
  form.querySelector("[data-action=cancel]").addEventListener("click", () => {
    form.reset();
    dialog.close();
  });
}
