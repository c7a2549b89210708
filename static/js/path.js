/**
 * Which turns are shown when there are several versions of some: one path through the tree of turns.
 *
 * Turns with the same parent are versions of each other. At each step the version that the reader chose is
 * taken, else the newest. Pure: works on anything that has `id` and `parent`.
 */

/** The choices that lead to the turn `id`: a Map of parent id to the id of the version to take there. */
export function leading(turns, id) {
  const parents = new Map(turns.map((turn) => [turn.id, turn.parent]));
  const choices = new Map();
  for (let at = id; parents.has(at); at = parents.get(at)) {
    choices.set(parents.has(parents.get(at)) ? parents.get(at) : null, at);
  }
  return choices;
}

/** The versions of one step: all turns whose parent is `parent`, oldest first. */
export function versions(turns, parent) {
  return turns.filter((turn) => turn.parent === parent);
}

/**
 * The path from the first turn to the last. `turns`: oldest first; `chosen`: Map of parent id (null for the
 * first step) to the id of the version to take there. A turn whose parent is not known begins a path.
 */
export function path(turns, chosen) {
  const known = new Set(turns.map((turn) => turn.id));
  const rooted = turns.map((turn) => ({ id: turn.id, parent: known.has(turn.parent) ? turn.parent : null }));
  const steps = [];
  let parent = null;
  for (;;) {
    const here = versions(rooted, parent);
    if (!here.length) return steps;
    const id = here.some((turn) => turn.id === chosen.get(parent)) ? chosen.get(parent) : here.at(-1).id;
    steps.push({ id, parent, versions: here.map((turn) => turn.id) });
    parent = id;
  }
}
