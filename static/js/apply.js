// Applies the operations of docs/markdown.md to the DOM of one pane. The counterpart of streamrender/page/ops.py:
// for every list of operations both give the same nodes. Nodes that no operation names keep their identity, so
// selections and scroll positions in settled text survive.

const policy = globalThis.trustedTypes?.createPolicy("streamrender", { createHTML: (html) => html });
const ELEMENT = 1;
const TEXT = 3;

function fragment(context, html) {
  const range = document.createRange();
  range.selectNodeContents(context);
  return range.createContextualFragment(policy ? policy.createHTML(html) : html);
}

// Joins `right` to the text node before it, so that text nodes are never adjacent.
function join(left, right) {
  if (left && right && left.nodeType === TEXT && right.nodeType === TEXT) {
    left.appendData(right.data);
    right.remove();
  }
}

function splice(element, start, drop, html) {
  const nodes = element.childNodes;
  for (let i = 0; i < drop; i++) nodes[start].remove();
  const next = nodes[start] ?? null;
  const previous = next ? next.previousSibling : element.lastChild;
  if (html) {
    const added = fragment(element, html);
    const last = added.lastChild;
    element.insertBefore(added, next);
    if (last) join(last, last.nextSibling);
  }
  if (previous) join(previous, previous.nextSibling);
}

export function apply(root, ops) {
  for (const op of ops) {
    let element = root;
    if (op[0] === "s") {
      for (const index of op[1]) element = element.children[index];
      splice(element, op[2], op[3], op[4]);
      continue;
    }
    for (let i = 0; i < op[1]; i++) element = element.lastElementChild;
    if (op[0] === "t") {
      const last = element.lastChild;
      if (!last || last.nodeType !== TEXT) throw new Error("a t operation needs a text node at the end");
      last.appendData(op[2]);
    } else if (op[0] === "p") {
      const nodes = element.childNodes;
      while (nodes.length > op[2]) element.lastChild.remove();
      if (op[3]) {
        const previous = element.lastChild;
        element.append(fragment(element, op[3]));
        if (previous && previous.nodeType !== ELEMENT) join(previous, previous.nextSibling);
      }
    } else {
      throw new Error(`unknown operation ${op[0]}`);
    }
  }
}
