/** Which panes the reader opened or closed by hand. Their word holds for the whole session, also after a reload. */

const PREFIX = "pane:";

/** true: opened by hand, false: closed by hand, null: never touched. */
export function chosen(turn, pane) {
  const value = sessionStorage.getItem(`${PREFIX}${turn}:${pane}`);
  return value === null ? null : value === "open";
}

export function remember(turn, pane, open) {
  sessionStorage.setItem(`${PREFIX}${turn}:${pane}`, open ? "open" : "closed");
}
