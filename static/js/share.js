/** The dialog that makes the link to a snapshot of this conversation, renews it and takes it back. */

import { copy } from "./copy.js";
import { ask } from "./ask.js";
import { partsOf } from "./templates.js";
import { choose } from "./words.js";

/** `conversation()`: the id of the conversation on this page. */
export function wireShare(dialog, button, conversation) {
  const parts = partsOf(dialog);
  const draw = () => {
    const { path } = dialog.dataset;
    parts.link.value = path ? new URL(path, location.origin).href : "";
    parts.shared.hidden = parts.unshare.hidden = !path;
    choose(parts.words, path ? "update" : "make");
  };
  const act = async (action) => {
    const response = await ask(`/c/${conversation()}/${action}/`);
    parts.failed.hidden = Boolean(response?.ok);
    if (!response?.ok) return;
    dialog.dataset.path = response.status === 200 ? (await response.json()).path : "";
    draw();
    (dialog.dataset.path ? parts.copy : parts.share).focus();
  };
  parts.share.addEventListener("click", () => act("share"));
  parts.unshare.addEventListener("click", () => act("unshare"));
  parts.copy.addEventListener("click", () => copy(parts.link.value, parts.copy));
  parts.link.addEventListener("focus", () => parts.link.select());
  parts.close.addEventListener("click", () => dialog.close());
  button.addEventListener("click", () => {
    parts.failed.hidden = true;
    draw();
    dialog.showModal();
    (dialog.dataset.path ? parts.copy : parts.share).focus();
  });
}
