"""The stream that everybody uses: the engine, and what goes on when the engine fails.

A fault of the renderer must not end a turn. From the first exception on the page is made from scratch: the
whole text again each time it has grown by a quarter, between that the rest as it is written. `close` still
gives `render_markdown` of the text; if that fails too, its text. Nothing of the text is ever lost.
"""

from streamrender.markdown import oneshot
from streamrender.markdown.dialect import CHAT, Dialect
from streamrender.markdown.oneshot import clean, live_nodes, markdown_nodes
from streamrender.markdown.stream import Engine
from streamrender.page.ops import Op, patch
from streamrender.page.tree import Element, Node, Text, add_node, serialize


class MarkdownStream:
    """Text in, operations out. `scope` goes before the identifiers of footnotes. `fault`: the name of the
    exception that stopped the engine, "" as long as all is well.
    """

    def __init__(self, dialect: Dialect = CHAT, scope: str = "") -> None:
        self.fault = ""
        self._dialect = dialect
        self._scope = scope
        self._engine = Engine(dialect, scope)
        self._pieces: list[str] = []
        self._closed = False
        self._page = Element("root")  # from the first fault on
        self._rendered = 0  # so much of the text was rendered, not only written
        self._length = 0
        self._left = oneshot.MAX_SIZE
        self._cut = False

    @property
    def html(self) -> str:
        """The page."""
        return serialize(self._page.children) if self.fault else self._engine.html

    @property
    def caps(self) -> list[str]:
        """What keeps the page from being the whole text as written: "depth" and "size", or nothing."""
        return [*self._engine.caps, *(["size"] if self._cut else [])]

    def feed(self, text: str) -> list[Op]:
        """Take more text; the operations that bring the page up to date."""
        if self._closed:
            raise ValueError("the stream is closed")
        if len(text) > self._left:
            text, self._cut = text[: self._left], True
        self._left -= len(text)
        self._pieces.append(text)
        if self.fault:
            return self._go_on(text)
        try:
            return self._engine.feed(text)
        except Exception as error:  # whatever it is, the turn goes on
            return self._fail(error)

    def close(self) -> list[Op]:
        """The text is complete; the operations that make the page `render_markdown` of it."""
        if self._closed:
            return []
        self._closed = True
        if not self.fault:
            try:
                return self._engine.close()
            except Exception as error:
                return self._fail(error)
        return patch(self._page, 0, self._scratch())

    def _fail(self, error: Exception) -> list[Op]:
        """The page of the engine is not to be trusted any more: replace all of it."""
        self.fault = type(error).__name__
        self._page.children = self._scratch()
        return [["p", 0, 0, serialize(self._page.children)]]

    def _go_on(self, text: str) -> list[Op]:
        self._length += len(text)
        if self._length > self._rendered + self._rendered // 4 + 64:
            return patch(self._page, 0, self._scratch())
        more = clean(text).replace("\r", "")
        if not more:
            return []
        children = self._page.children
        last = children[-1] if children else None
        if self._length > self._rendered + len(text) and isinstance(last, Element) and last.tag == "p":
            add_node(last.children, Text(more))
            return [["t", 1, more]]
        children.append(Element("p", (), [Text(more)]))
        return [["p", 0, len(children) - 1, serialize(children[-1:])]]

    def _scratch(self) -> list[Node]:
        """The page of the text so far, without the engine; its plain text if even that fails."""
        text = "".join(self._pieces)
        self._rendered = self._length = len(text)
        make = markdown_nodes if self._closed else live_nodes
        try:
            return make(text, self._dialect, self._scope)
        except Exception:  # the text is shown whatever happens
            plain = clean(text).replace("\r\n", "\n").replace("\r", "\n")
            return [Element("p", (), [Text(plain)])] if plain else []
