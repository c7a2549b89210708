/** Renaming a conversation, in a dialog whose form also says where it goes. */

import { partsOf } from "./templates.js";

/** Open the dialog for the conversation of this row. */
export function openRename(dialog, row) {
  const form = dialog.querySelector("form");
  form.action = `/c/${row.dataset.id}/rename/`;
  form.dataset.id = row.dataset.id;
  form.elements.title.value = partsOf(row).title.textContent;
  partsOf(form).failed.hidden = true;
  dialog.showModal();
  form.elements.title.select();
}

/** `renamed(id, title)` is called when the server did it. */
export function wireRename(dialog, renamed) {
  const form = dialog.querySelector("form");
  form.addEventListener("submit", (event) => submit(event, form, renamed));
  dialog.querySelector("[data-action=cancel]").addEventListener("click", () => dialog.close());
}

async function submit(event, form, renamed) {
  event.preventDefault();
  const body = new FormData(form);
  let response = null;
  try {
    response = await fetch(form.action, { method: "POST", body });
  } catch {
    // The network is away: the dialog stays open, and the form can be sent again.
  }
  partsOf(form).failed.hidden = Boolean(response?.ok);
  if (!response?.ok) return;
  form.closest("dialog").close();
  renamed(form.dataset.id, body.get("title"));
}
