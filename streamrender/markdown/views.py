"""What the engine remembers about the blocks at the open end, so that it never visits settled ones again."""

from streamrender.markdown.blocks import Block
from streamrender.markdown.code import Highlighter
from streamrender.markdown.live import Memo
from streamrender.page.ops import Fresh, Grow
from streamrender.page.tree import Element, Text


class View:
    """One block on the page.

    - `block`: the real block, also when a fork of it is being painted
    - `element`: the element on the page, once it is there
    - `nodes`: set once the block is closed and painted: all of it, for good
    - containers: `base` child nodes on the page are settled, and so are `shown` visible children; `newline`:
      the settled part of a tight item ends in a block whose line break belongs to the unsettled part
    - prose: from the node `at` on the page is unsettled; `at` None: all of it. `cut` characters of the
      content are settled; `grow`: the node `at` is a text of which the start is settled; `size`: see
      `live.next_cut`
    - prose in a tight item: `ordinal` counts the visible children of the item before it
    - code: `inner` holds the last settled line, as child `index` of the code where it is a group; `at` and
      `grow` as above, in `inner`; `lines` are settled; `fold`: colours; `source` where the lexer needs all
    - tables: `inner` is the body, `at` the number of its settled nodes
    """

    __slots__ = (
        "at",
        "base",
        "block",
        "cut",
        "dropped",
        "element",
        "fold",
        "grow",
        "index",
        "inner",
        "labels",
        "lines",
        "loose",
        "memo",
        "newline",
        "nodes",
        "ordinal",
        "parts",
        "run",
        "shown",
        "size",
        "source",
    )

    def __init__(self, block: Block) -> None:
        self.block = block
        self.element: Element | None = None
        self.nodes: list[Fresh] | None = None
        self.base = 0
        self.shown = 0
        self.newline = False
        self.ordinal = -1
        self.loose = False
        self.inner: Element | None = None
        self.index = 0
        self.lines = 0
        self.fold: Highlighter | None = None
        self.source: list[str] = []
        self.labels: set[str] = set()
        self.parts: list[str] = []
        self.reset()

    def reset(self) -> None:
        """Forget what is settled of a paragraph."""
        self.at: int | None = None
        self.grow = False
        self.cut = 0
        self.dropped = 0
        self.run = 0
        self.memo: list[Memo] = []
        self.size = 0
        self.parts = []


def view_of(block: Block) -> View:
    """The view of a block, made when there is none. Forks share the view of the block they stand for."""
    if block.view is None:
        block.view = View(block)
    view: View = block.view
    return view


def add_fresh(out: list[Fresh], node: Fresh) -> None:
    """Append, merging text. A text of the list is never changed in place: it may be on the page."""
    if isinstance(node, Text) and out:
        last = out[-1]
        if isinstance(last, Grow):
            out[-1] = Grow(last.text, last.live + node.data)
            return
        if isinstance(last, Text):
            out[-1] = Text(last.data + node.data)
            return
    if isinstance(node, Text) and not node.data:
        return
    out.append(node)
