/**
 * Words come from the server in the reader's language: a group in a template holds all that may be needed, each
 * marked with `data-when`; the page holds only the one that is true now.
 */

const groups = new WeakMap();

/**
 * Let `group` hold the child whose `data-when` names `value`; the one marked `*` when none does; with a value
 * of null, nothing.
 */
export function choose(group, value) {
  if (!groups.has(group)) groups.set(group, [...group.children]);
  const all = groups.get(group);
  const named = (name) => all.find((child) => child.dataset.when.split(" ").includes(name));
  const chosen = value === null ? null : (named(value) ?? named("*") ?? null);
  if (group.childNodes.length === (chosen ? 1 : 0) && group.firstChild === chosen) return;
  group.replaceChildren(...(chosen ? [chosen] : []));
}

/** What an element says, as one line of plain text. */
export const spoken = (element) => element.textContent.replace(/\s+/g, " ").trim();

/** Set an element's text, touching the document only when it differs. */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
