/** How one conversation is answered: a dialog that reads the settings when it opens and names what is not valid. */

import { partsOf } from "./templates.js";

/** Gives the function that opens the dialog for the conversation of a row. */
export function wireAnswering(dialog, failed) {
  const form = dialog.querySelector("form");
  const parts = partsOf(form);
  const { elements } = form;
  const wrong = (names) => {
    for (const line of form.querySelectorAll("[data-wrong]")) {
      const { wrong: name } = line.dataset;
      line.hidden = !names.includes(name);
      elements[name].ariaInvalid = String(!line.hidden);
    }
    const first = names.find((name) => elements[name]?.focus);
    if (first) elements[first].focus();
  };
  const reflect = () => (parts.conflict.hidden = !elements.temperature.value);
  elements.temperature.addEventListener("input", reflect);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const bad = ["temperature", "max_tokens"].filter((name) => !elements[name].validity.valid);
    wrong(bad);
    if (bad.length) return;
    const response = await answered(form.action, { method: "POST", body: new FormData(form) });
    if (response?.status === 400) wrong((await response.json()).fields);
    parts.failed.hidden = Boolean(response?.ok || response?.status === 400);
    if (response?.ok) dialog.close();
  });
  form.querySelector("[data-action=cancel]").addEventListener("click", () => dialog.close());
  return async (row) => {
    form.action = `/c/${row.dataset.id}/settings/`;
    const response = await answered(form.action);
    if (!response?.ok) return failed();
    const values = await response.json();
    form.reset();
    for (const name of ["effort", "system_prompt", "temperature", "max_tokens"]) elements[name].value = values[name] ?? "";
    for (const box of elements.server_tools) box.checked = values.server_tools.includes(box.value);
    parts.failed.hidden = true;
    wrong([]);
    reflect();
    dialog.showModal();
  };
}

/** The response, null when the network is away. */
async function answered(address, options) {
  try {
    return await fetch(address, options);
  } catch {
    return null;
  }
}
