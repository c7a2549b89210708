"""The page of a turn as data: trees of nodes, the operations that change them, panes."""
