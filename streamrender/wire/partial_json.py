"""A resumable partial parser for tool arguments: what can be shown of a JSON object while it still arrives.

`feed(text)` returns [(i, key, text, complete), ...]: field i of the object (in order of arrival, as the text
has them), the text to append to what is shown of it, and whether it is complete. Strings show their content
as it grows; numbers, true, false and null appear when they are whole; objects and arrays show as compact JSON
text (no white space, escapes only where JSON needs them) that grows. Invariants: shown text only grows; no
half escape, surrogate half, number or word is ever shown; the fields do not depend on how the text is cut
(their pieces do); total cost is linear; after the first error nothing more is shown. `state`: incomplete,
complete (one whole object), invalid.
"""

import re

Field = tuple[int, str, str, bool]

_RUN = re.compile(r'[^"\\\x00-\x1f]+')
_SPACE = re.compile(r"[ \t\n\r]*")
_ATOM = re.compile(r"[^\s,\]}:\[{\"]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?\Z", re.ASCII)
_HEX = re.compile(r"[0-9a-fA-F]*\Z")
_SIMPLE = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
# How compact JSON writes the characters that must stay escaped.
_ESCAPED = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


class PartialJSON:
    """The parser of one object; see the module."""

    def __init__(self) -> None:
        self.state = "incomplete"
        self._expect = "value"  # value, key, key_or_end, value_or_end, colon, comma, end
        self._stack: list[str] = []
        self._in_string = False
        self._is_key = False
        self._escape = ""
        self._half = ""
        self._atom = ""
        self._key: list[str] = []
        self._name = ""
        self._count = -1
        self._shown: list[str] = []
        self._touched = False
        self._out: list[Field] = []

    def feed(self, text: str) -> list[Field]:
        """What `text` adds to the fields."""
        self._out = []
        pos = 0
        end = len(text)
        while pos < end and self.state != "invalid":
            if self._in_string:
                pos = self._string(text, pos)
            elif self._atom:
                pos = self._grow_atom(text, pos)
            else:
                found = _SPACE.match(text, pos)
                pos = found.end() if found else pos
                if pos < end:
                    pos = self._token(text, pos)
        if self.state != "invalid":
            self._flush(False)
        return self._out

    # What is shown.

    def _show(self, text: str) -> None:
        self._shown.append(text)
        self._touched = True

    def _flush(self, complete: bool) -> None:
        if self._touched or complete:
            self._out.append((self._count, self._name, "".join(self._shown), complete))
            self._shown = []
            self._touched = False

    # Tokens.

    def _token(self, text: str, pos: int) -> int:
        char = text[pos]
        expect = self._expect
        if char == '"' and expect in ("key", "key_or_end", "value", "value_or_end"):
            if not self._stack:
                return self._fail()
            self._in_string = True
            self._is_key = expect in ("key", "key_or_end")
            self._begin_string()
        elif char in "{[" and expect in ("value", "value_or_end"):
            if not self._stack and char == "[":
                return self._fail()
            if self._stack:
                self._begin_value(char)
            self._stack.append(char)
            self._expect = "key_or_end" if char == "{" else "value_or_end"
        elif (
            char in "}]"
            and self._stack
            and expect in ("comma", "key_or_end" if char == "}" else "value_or_end")
        ):
            if (self._stack[-1] == "{") != (char == "}"):
                return self._fail()
            self._stack.pop()
            if self._stack:
                self._show(char)
                self._end_value()
            else:
                self.state = "complete"
                self._expect = "end"
        elif char == "," and expect == "comma":
            if len(self._stack) > 1:
                self._show(",")
            self._expect = "key" if self._stack[-1] == "{" else "value"
        elif char == ":" and expect == "colon":
            if len(self._stack) > 1:
                self._show(":")
            self._expect = "value"
        elif expect in ("value", "value_or_end") and (char in "-tfn" or "0" <= char <= "9") and self._stack:
            self._atom = char
        else:
            return self._fail()
        return pos + 1

    def _fail(self) -> int:
        self.state = "invalid"
        self._flush(False)
        return 0

    def _begin_value(self, shown: str) -> None:
        """A value opens: at the top of the object that is a new field."""
        if len(self._stack) == 1:
            self._count += 1
            self._name = "".join(self._key)
        self._show(shown)

    def _end_value(self) -> None:
        self._expect = "comma"
        if len(self._stack) == 1:
            self._flush(True)

    def _grow_atom(self, text: str, pos: int) -> int:
        found = _ATOM.match(text, pos)
        end = found.end() if found else pos
        self._atom += text[pos:end]
        if len(self._atom) > 4096:
            return self._fail()
        if end < len(text):
            atom, self._atom = self._atom, ""
            if atom not in ("true", "false", "null") and not _NUMBER.match(atom):
                return self._fail()
            self._begin_value(atom)
            self._end_value()
        elif self._atom[0] in "tfn" and not any(w.startswith(self._atom) for w in ("true", "false", "null")):
            return self._fail()
        return end

    # Strings.

    def _begin_string(self) -> None:
        if self._is_key and len(self._stack) == 1:
            self._key = []
        elif self._is_key or len(self._stack) > 1:
            self._begin_value('"') if not self._is_key else self._show('"')
        else:
            self._begin_value("")

    def _string(self, text: str, pos: int) -> int:
        if self._escape:
            return self._grow_escape(text, pos)
        char = text[pos]
        if char == '"':
            self._drop_half()
            self._in_string = False
            if len(self._stack) > 1:
                self._show('"')
            if self._is_key:
                self._expect = "colon"
            else:
                self._end_value()
            return pos + 1
        if char == "\\":
            self._escape = char
            return pos + 1
        found = _RUN.match(text, pos)
        if found is None:
            return self._fail()
        self._drop_half()
        self._put(found.group())
        return found.end()

    def _put(self, text: str) -> None:
        if self._is_key and len(self._stack) == 1:
            self._key.append(text)
        else:
            self._show(text)

    def _put_char(self, char: str) -> None:
        if len(self._stack) > 1:
            if char in _ESCAPED:
                char = _ESCAPED[char]
            elif char < " ":
                char = f"\\u{ord(char):04x}"
        self._put(char)

    def _drop_half(self) -> None:
        if self._half:
            self._half = ""
            self._put("\ufffd")

    def _grow_escape(self, text: str, pos: int) -> int:
        if self._escape == "\\" and text[pos] != "u":
            char = _SIMPLE.get(text[pos])
            if char is None:
                return self._fail()
            self._escape = ""
            self._drop_half()
            self._put_char(char)
            return pos + 1
        take = text[pos : pos + 6 - len(self._escape)]
        self._escape += take
        if not _HEX.match(self._escape, 2):
            return self._fail()
        if len(self._escape) == 6:
            code = int(self._escape[2:], 16)
            self._escape = ""
            if self._half and 0xDC00 <= code <= 0xDFFF:
                high, self._half = ord(self._half), ""
                self._put_char(chr(0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00)))
            else:
                self._drop_half()
                if 0xD800 <= code <= 0xDBFF:
                    self._half = chr(code)
                else:
                    self._put_char("\ufffd" if 0xDC00 <= code <= 0xDFFF else chr(code))
        return pos + len(take)
