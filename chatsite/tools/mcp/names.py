"""Names of tools as every provider takes them: letters, digits, _ and -, at most 64."""

from __future__ import annotations

import hashlib
import re

LONGEST = 64


def tool_name(server: str, tool: str) -> str:
    """`server__tool` in the letters that are allowed; what is changed gets a mark of its own, so that two
    tools never share a name.

    >>> tool_name("files", "read_file"), tool_name("my files", "läs")
    ('files__read_file', 'my_files__l_s_6121')
    """
    plain = f"{server}__{tool}"
    name = re.sub(r"[^a-zA-Z0-9_-]", "_", plain)
    if name == plain and len(name) <= LONGEST and "__" not in server:
        return name
    mark = hashlib.sha256(f"{server}\0{tool}".encode()).hexdigest()[:4]
    return f"{name[: LONGEST - 5]}_{mark}"
