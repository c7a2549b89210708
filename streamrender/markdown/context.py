"""What a rendering knows besides the text: link definitions, footnote numbers, the dialect."""

from collections.abc import Iterable
from typing import Any

from markdown_it.token import Token

from streamrender.markdown.dialect import Dialect
from streamrender.markdown.references import Reference


class References(dict[str, dict[str, str]]):
    """Link definitions by normalised label; the first one wins. `missed` collects labels that were not
    found.
    """

    missed: set[str] | None = None

    def define(self, reference: Reference) -> bool:
        label, href, title = reference
        if label in self:
            return False
        self[label] = {"href": href, "title": title}
        return True

    def get(self, key: str, default: Any = None) -> Any:
        if key in self:
            return self[key]
        if self.missed is not None and len(key) < 1000:
            self.missed.add(key)
        return default


class Notes:
    """Footnote numbers: given at a label's first reference, in the order of the text, and never changed.

    `defined`: the labels that have a definition once the text is complete; None while it is not.
    """

    def __init__(self, numbers: dict[str, int] | None = None, defined: Iterable[str] | None = None) -> None:
        self.numbers = numbers if numbers is not None else {}
        self.defined = None if defined is None else set(defined)
        self.used: set[str] | None = None  # collects the labels that are referred to

    def number(self, label: str) -> int:
        if self.used is not None:
            self.used.add(label)
        return self.numbers.setdefault(label, len(self.numbers) + 1)

    def shows(self, label: str) -> bool:
        return self.defined is None or label in self.defined


class Context:
    """Everything that `render` needs. `scope` goes before the identifiers of footnotes."""

    def __init__(self, dialect: Dialect, scope: str = "") -> None:
        self.dialect = dialect
        self.references = References()
        self.notes = Notes()
        self.scope = scope
        self.parsed: tuple[str, list[Token]] | None = None  # a text without brackets that was parsed last
        self.capped = False  # finished text had elements that were left out because they are too deep
        self.room = 0  # see `live.last_segment`; of the live text that was rendered last

    def env(self, live: bool = False, run: int = 0) -> dict[str, Any]:
        """What the inline rules are told. `run`: the length of the plain text right before a live text."""
        env: dict[str, Any] = {"references": self.references}
        if self.dialect.extended:
            env["notes"] = self.notes
        else:
            env["plain"] = True
        if live:
            env["live"] = True
            env["run"] = run
        return env

    def tentative(self) -> "Context":
        """The same, but footnote numbers that are given through it are not kept."""
        twin = Context(self.dialect, self.scope)
        twin.references = self.references
        twin.notes = Notes(dict(self.notes.numbers))
        twin.notes.defined = self.notes.defined
        return twin
