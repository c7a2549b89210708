"""Rows of pipe tables."""

import re

_CELL = re.compile(r"^:?-+:?$")
MAX_COLUMNS = 64
MAX_FILLED = 2000
"""Cells a table may add to rows that are too short; a short line must not become a long page."""


def split_row(line: str) -> list[str]:
    """The cells of a row; `\\|` is a pipe that does not separate."""
    line = line.strip(" \t")
    cells: list[str] = []
    start = 0
    kept = ""
    at = line.find("|")
    while at >= 0:
        if at > 0 and line[at - 1] == "\\":
            kept += line[start : at - 1]
            start = at
        else:
            cells.append(kept + line[start:at])
            kept, start = "", at + 1
        at = line.find("|", at + 1)
    cells.append(kept + line[start:])
    if cells and not cells[0].strip():
        cells.pop(0)
    if cells and not cells[-1].strip():
        cells.pop()
    return [cell.strip(" \t") for cell in cells]


def alignments(line: str) -> list[str] | None:
    """The columns of a delimiter row: "left", "right", "center" or "" each; None: it is not one."""
    line = line.strip(" \t")
    if not line or line[0] not in "|-:" or line.strip("-:| \t") or (line[0] == "-" and line[1:2] in " \t"):
        return None
    columns: list[str] = []
    parts = line.split("|")
    for i, part in enumerate(parts):
        part = part.strip(" \t")
        if not part:
            if i in (0, len(parts) - 1):
                continue
            return None
        if not _CELL.match(part):
            return None
        left, right = part[0] == ":", part[-1] == ":"
        columns.append("center" if left and right else "left" if left else "right" if right else "")
    return columns if 0 < len(columns) <= MAX_COLUMNS else None
