/** The tools that run without asking, in the preferences: read anew whenever the dialog opens, each with a way back. */

import { ask } from "./ask.js";
import { clone, partsOf } from "./templates.js";
import { choose } from "./words.js";

/** `part`: the element of _permissions.html. Gives a function that reads the list. */
export function permissionsIn(part) {
  const { list, words } = partsOf(part);

  const draw = (names) => {
    list.replaceChildren(...names.map(row));
    choose(words, names.length ? null : "none");
  };
  const row = (name) => {
    const element = clone("permission");
    const parts = partsOf(element);
    parts.tool.textContent = name;
    parts.remove.setAttribute("aria-describedby", (parts.tool.id = `permission-${name}`));
    parts.remove.addEventListener("click", () => takeBack(name));
    return element;
  };
  const takeBack = async (name) => {
    if (!good(await ask("/permissions/take-back/", { tool: name }))) return;
    await read();
    (list.querySelector("button") ?? part).focus();
  };
  const read = async () => {
    const response = await fetch("/permissions/").catch(() => null);
    if (good(response)) draw((await response.json()).permissions.map(({ tool }) => tool));
  };
  const good = (response) => {
    if (!response?.ok) choose(words, "failed");
    return response?.ok;
  };
  return read;
}
