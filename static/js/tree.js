/** Bringing the tree of a pane to given HTML while leaving alone what is the same already. */

import { apply } from "./apply.js";

/**
 * Make `root` hold the nodes of `html`. Blocks that are equal from the start on stay the very same nodes, so a
 * selection in them lives on.
 */
export function renew(root, html) {
  const next = document.createElement("div");
  if (html) apply(next, [["p", 0, 0, html]]);
  const fresh = [...next.childNodes];
  let same = 0;
  while (fresh[same] && root.childNodes[same]?.isEqualNode(fresh[same])) same += 1;
  while (root.childNodes.length > same) root.lastChild.remove();
  root.append(...fresh.slice(same));
}
