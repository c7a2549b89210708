/** Copying to the clipboard, with a mark at the button that it happened. */

const SHOWN = 1600;

/** Copy `text`; the button carries `data-copied` for a moment. Gives whether it worked. */
export async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    if (!copyBySelection(text)) return false;
  }
  button.dataset.copied = "";
  button.dispatchEvent(new CustomEvent("copied"));
  setTimeout(() => {
    delete button.dataset.copied;
    button.dispatchEvent(new CustomEvent("copied"));
  }, SHOWN);
  return true;
}

/** The old way, which also works where the page is not served securely. */
function copyBySelection(text) {
  const area = document.createElement("textarea");
  const focused = document.activeElement;
  area.value = text;
  area.className = "visually-hidden";
  area.setAttribute("aria-hidden", "true");
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  focused?.focus({ preventScroll: true });
  return done;
}
