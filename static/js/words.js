/** Words come from the server in the reader's language: all of a group stand in the template, one is shown. */

/**
 * Show those children of `group` whose `data-when` names `value`; the one marked `*` when none does.
 * With a value of null all are hidden.
 */
export function choose(group, value) {
  const children = [...group.children].filter((child) => child.dataset.when);
  const named = (child) => value !== null && child.dataset.when.split(" ").includes(value);
  const found = children.some(named);
  for (const child of children) child.hidden = !(named(child) || (!found && value !== null && child.dataset.when === "*"));
}

/** The words that `group` shows now, as one line of plain text. */
export function spoken(group) {
  const shown = [...group.childNodes].filter((node) => !node.hidden);
  return shown.map((node) => node.textContent).join("").replace(/\s+/g, " ").trim();
}

/** Set an element's text, touching the document only when it differs. */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
