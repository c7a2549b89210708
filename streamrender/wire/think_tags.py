"""Thinking that a server writes into its text as <think>...</think>, cut anywhere.

Only for servers configured so: in general a tag in the text is text. Only a tag at the very start of the text
opens thinking; `opened` is for templates that leave the opening tag out.
"""

_OPEN = "<think>"
_CLOSE = "</think>"


class ThinkTags:
    """`feed(text)` gives [("thinking" | "text", piece), ...]; what may become a tag is held back."""

    def __init__(self, opened: bool = False) -> None:
        self._state = "thinking" if opened else "start"
        self._held = ""
        self._fresh = opened

    def feed(self, text: str) -> list[tuple[str, str]]:
        if self._state == "text":
            return [("text", text)] if text else []
        text = self._held + text
        self._held = ""
        pieces: list[tuple[str, str]] = []
        if self._state == "start" or self._fresh:
            stripped = text.lstrip()
            if _OPEN.startswith(stripped[: len(_OPEN)]) and len(stripped) < len(_OPEN):
                self._held = text
                return []
            if stripped.startswith(_OPEN):
                text = stripped[len(_OPEN) :]
                self._state = "thinking"
            elif self._state == "start":
                self._state = "text"
                return [("text", text)]
            self._fresh = False
        found = text.find(_CLOSE)
        if found >= 0:
            if text[:found]:
                pieces.append(("thinking", text[:found]))
            self._state = "text"
            rest = text[found + len(_CLOSE) :]
            return [*pieces, ("text", rest)] if rest else pieces
        keep = _tail(text)
        if keep:
            self._held = text[-keep:]
            text = text[:-keep]
        if text:
            pieces.append(("thinking", text))
        return pieces

    def close(self) -> list[tuple[str, str]]:
        """What was held back, at the end."""
        held, self._held = self._held, ""
        kind = "thinking" if self._state == "thinking" else "text"
        return [(kind, held)] if held else []


def _tail(text: str) -> int:
    """How many characters at the end may be the beginning of the closing tag."""
    return next((n for n in range(len(_CLOSE) - 1, 0, -1) if text.endswith(_CLOSE[:n])), 0)
