"""The incremental engine."""

from streamrender.markdown.dialect import CHAT, Dialect
from streamrender.markdown.oneshot import live_nodes, markdown_nodes
from streamrender.page.ops import Op, patch
from streamrender.page.tree import Element, serialize


class MarkdownStream:
    """Text in, operations out: after every `feed` the page is `render_live` of the text so far."""

    def __init__(self, dialect: Dialect = CHAT, scope: str = "") -> None:
        self._dialect = dialect
        self._scope = scope
        self._text = ""
        self._page = Element("root")

    def feed(self, text: str) -> list[Op]:
        """Take more text; the operations that bring the page up to date."""
        self._text += text
        return patch(self._page, 0, live_nodes(self._text, self._dialect, self._scope))

    def close(self) -> list[Op]:
        """The text is complete; the operations that make the page `render_markdown` of it."""
        return patch(self._page, 0, markdown_nodes(self._text, self._dialect, self._scope))

    @property
    def html(self) -> str:
        """The page."""
        return serialize(self._page.children)
