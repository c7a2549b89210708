"""Finds whole JSON objects in text that arrives in pieces, without parsing it: braces are counted outside
strings.

Works for one object over many lines and for an array of objects, whose brackets and commas at the top are
skipped. Total cost is linear in the text.
"""

import re

_MARK = re.compile(r'["{}\[\]]')
_STRING_END = re.compile(r'["\\]')


class ObjectScanner:
    """`feed(text)` returns the texts of the objects that became whole. `size`: characters that wait."""

    def __init__(self) -> None:
        self.size = 0
        self._parts: list[str] = []
        self._depth = 0
        self._array = 0
        self._in_string = False
        self._escaped = False

    @property
    def idle(self) -> bool:
        """True when nothing is open: the next line may be anything."""
        return not self._depth and self._array <= 0

    def rest(self) -> str:
        """The text of the object that is still open."""
        return "".join(self._parts)

    def feed(self, text: str) -> list[str]:
        whole: list[str] = []
        pos = start = 0
        if self._escaped:
            self._escaped = False
            pos = 1
        while True:
            if self._in_string:
                found = _STRING_END.search(text, pos)
                if found is None:
                    break
                pos = found.end()
                if found.group() == '"':
                    self._in_string = False
                else:
                    pos += 1
                    if pos > len(text):
                        self._escaped = True
                        break
                continue
            found = _MARK.search(text, pos)
            if found is None:
                break
            pos = found.end()
            mark = found.group()
            if not self._depth:
                if mark == "{":
                    self._depth = 1
                    start = pos - 1
                elif mark == "[":
                    self._array += 1
                elif mark == "]":
                    self._array -= 1
            elif mark == '"':
                self._in_string = True
            elif mark in "{[":
                self._depth += 1
            else:
                self._depth -= 1
                if not self._depth:
                    self._parts.append(text[start:pos])
                    whole.append("".join(self._parts))
                    self._parts = []
                    self.size = 0
        if self._depth:
            self._parts.append(text[start:])
            self.size += len(text) - start
        return whole
