"""The grammar exists twice: markdown-it-py's for whole texts, one that goes line by line for the engine.
Every text has the same blocks in both.
"""

import ast
import random
from pathlib import Path

import pytest

import streamrender.markdown
from streamrender.markdown import CHAT, COMMONMARK, render_markdown, starts
from streamrender.markdown.stream import Engine
from tests.markdown import documents

FOLDER = Path(streamrender.markdown.__file__).parent
PREFIX = "streamrender.markdown."

KINDS = [
    "- a\n\n[^1]: note\n\nsee[^1]",  # a definition right behind a list
    "| a |\n|---|\n[^1]: note\n\nsee[^1]",
    "- text\n  a|b\n  -|-",  # a table in an item leaves its list tight
    "- [ ] a|b\n  -|-",  # the line of a task is no header
    "-\n\n\n-",  # blank lines end a list whose item is empty
    "- ```\n     \n  x",  # white space in the code of an item
    "  1. )\n\t>",  # so far in that it can only go on with the paragraph
    "  2) >]\n\t>",
    "- [o]: v\n\n\to",  # a definition counts where a list turns loose
    "- [o]: v\n\n\n-",
    "- - ~~~\n\n  v",  # so does a blank line of code that ends with its item
    "|\n\t-|-\n-|-",  # no header four columns in
    "- a\nb|c\n  -|-",
    "[o]: http://\\\n[",  # a destination ends with its line
    "<details>\n> a\n> </details>\n\n</details>\nb",  # an end belongs to its own container
    "- t\n-\t<details>\n\n    t",
    "| a |\n|---|\n<details>\nx\n</details>",
    "|a|b|\n|-|-|\n" + "|x\n" * 2100,
    "> " * 45 + "x",
    "- " * 45 + "x",
    "- " * 19 + "a\n" + "  " * 18 + "- b",
]


def streamed(text: str, dialect: streamrender.markdown.Dialect = CHAT) -> str:
    stream = Engine(dialect)
    stream.feed(text)
    stream.close()
    return stream.html


@pytest.mark.parametrize("text", KINDS)
def test_kinds_on_which_they_differed(text: str) -> None:
    assert streamed(text) == render_markdown(text)
    assert streamed(text, COMMONMARK) == render_markdown(text, COMMONMARK)


@pytest.mark.parametrize("dialect", [CHAT, COMMONMARK], ids=["chat", "commonmark"])
def test_random_documents(dialect: streamrender.markdown.Dialect) -> None:
    luck = random.Random(20)
    atoms = documents.ATOMS if dialect is CHAT else [atom for atom in documents.ATOMS if "<" not in atom]
    for _ in range(1500):
        made = (
            luck.choice(documents.MARGINS) + "".join(luck.choices(atoms, k=luck.randint(0, 4)))
            for _ in range(luck.randint(1, 8))
        )
        text = "\n".join(made)
        assert streamed(text, dialect) == render_markdown(text, dialect), text


def test_a_broken_grammar_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starts, "holder", lambda block: block)
    assert streamed(KINDS[0]) != render_markdown(KINDS[0])


def test_a_whole_text_never_meets_the_grammar_of_the_engine() -> None:
    """All that the grammar of whole texts imports, directly or through others. Both use the last three: what
    a block is, the text of one link definition, the cells of one row."""
    seen: set[str] = set()
    waiting = ["tokens", "blockrules"]
    while waiting:
        module = waiting.pop()
        seen.add(module)
        for node in ast.walk(ast.parse((FOLDER / f"{module}.py").read_text())):
            if isinstance(node, ast.ImportFrom) and node.module:
                if node.module == PREFIX[:-1]:
                    waiting += [one.name for one in node.names if one.name not in seen]
                elif node.module.startswith(PREFIX):
                    waiting.append(node.module.removeprefix(PREFIX))
        waiting = [one for one in waiting if one not in seen]
    assert seen == {"tokens", "blockrules", "blocks", "references", "table"}
