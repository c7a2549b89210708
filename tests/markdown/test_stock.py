"""The block grammar against markdown-it-py's own: on text as models write it they are the same.

One difference is left out: markdown-it-py writes no line break between the text of a tight item and a code
block; the reference implementation does.
"""

import random

from markdown_it import MarkdownIt

from streamrender.markdown import COMMONMARK, render_markdown
from tests.markdown.test_spec import canonical

STOCK = MarkdownIt("commonmark")
LINES = [
    *(
        "# Title",
        "Some *text* with `code`.",
        "more text",
        "- item",
        "- other",
        "  continued",
        "  - nested",
        "1. one",
    ),
    *(
        "2. two",
        "   para",
        "> quote",
        "> more",
        "```py",
        "x = 1",
        "```",
        "",
        "",
        "",
        "---",
        "Title\n===",
        "    code",
    ),
    *(
        "\n[a]: http://u\n",
        "[a] used",
        "  > in item",
        "  ```\n  y\n  ```",
        "* star",
        "<div>\nraw\n</div>",
        "10) ten",
    ),
]


def test_both_grammars_agree() -> None:
    r = random.Random(7)
    wrong = []
    for _ in range(1500):
        text = "\n".join(r.choice(LINES) for _ in range(r.randint(2, 9))) + "\n"
        ours, stock = canonical(render_markdown(text, COMMONMARK)), canonical(STOCK.render(text))
        if ours.replace("\n<pre>", "<pre>") != stock.replace("\n<pre>", "<pre>"):
            wrong.append(text)
    assert wrong == []
