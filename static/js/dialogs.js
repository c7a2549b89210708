/** Renaming and deleting a conversation, each in a dialog whose form also says where it goes. */

import { partsOf } from "./templates.js";

/** `done(action, id, title)` is called when the server did it. */
export function wireConversationActions(list, done) {
  list.addEventListener("click", (event) => {
    const button = event.target.closest("[data-action=rename], [data-action=delete]");
    if (!button) return;
    const item = button.closest("[data-id]");
    const dialog = document.getElementById(`${button.dataset.action}-dialog`);
    const form = dialog.querySelector("form");
    const title = partsOf(item).title.textContent;
    form.action = `/c/${item.dataset.id}/${form.dataset.path}/`;
    form.dataset.id = item.dataset.id;
    if (form.elements.title) form.elements.title.value = title;
    else partsOf(dialog).title.textContent = title;
    partsOf(form).failed.hidden = true;
    dialog.showModal();
    form.elements.title?.select();
  });
  for (const form of document.querySelectorAll("dialog form[data-path]")) {
    form.addEventListener("submit", (event) => submit(event, form, done));
  }
  for (const button of document.querySelectorAll("dialog [data-action=cancel]")) {
    button.addEventListener("click", () => button.closest("dialog").close());
  }
}

async function submit(event, form, done) {
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
  done(form.dataset.path, form.dataset.id, body.get("title"));
}
