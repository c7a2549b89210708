/** The models in the picker, asked for again when it opens: servers of this machine come and go. */

import { clone } from "./templates.js";

const FRESH = 20_000;

export function wireModelList(form) {
  let asked = -Infinity;
  const look = async () => {
    if (performance.now() - asked < FRESH) return;
    asked = performance.now();
    try {
      const response = await fetch("/models/");
      if (response.ok && !response.redirected) show(form, (await response.json()).models);
    } catch {
      // The network is away: the list stays as it is.
    }
  };
  const opens = (event) => event.target.closest(".model-picker, .model-only") && look();
  for (const type of ["pointerover", "focusin"]) form.addEventListener(type, opens);
}

/** Add what is new, in groups, and take away what is gone, but for the chosen one. */
function show(form, models) {
  const list = form.elements.model ?? (models.length > 1 ? made(form) : null);
  if (!list) return;
  const known = new Map([...list.options].map((option) => [option.value, option]));
  const keys = new Set(models.map(({ key }) => key));
  for (const [key, option] of known) {
    if (!keys.has(key) && !key.startsWith("device:") && !option.selected) option.remove();
  }
  for (const { key, label, group } of models) if (!known.has(key)) groupOf(list, group).append(new Option(label, key));
  for (const group of [...list.querySelectorAll("optgroup")]) if (!group.children.length) group.remove();
}

function groupOf(list, label) {
  const there = [...list.querySelectorAll("optgroup")].find((group) => group.label === label);
  if (there) return there;
  const group = Object.assign(document.createElement("optgroup"), { label });
  list.append(group);
  return group;
}

function made(form) {
  const name = form.querySelector(".model-only");
  const picker = clone("model-picker");
  const list = picker.querySelector("select");
  list.append(new Option(name.textContent, name.dataset.key));
  name.replaceWith(picker);
  return list;
}
