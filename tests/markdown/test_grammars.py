"""The grammar exists twice: markdown-it-py's for renderings from scratch, one that goes line by line for the
engine. Every text has the same blocks in both, complete or still arriving.
"""

import ast
import random
from pathlib import Path

import pytest

import streamrender.markdown
from streamrender.markdown import CHAT, COMMONMARK, render_markdown, starts
from streamrender.markdown.lines import Lines
from streamrender.markdown.stream import Engine
from tests.markdown import documents, laws

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
    ">~~~\n>\tx",  # a tab of which the quote's mark took one column
    "> - ~~~\n>\tx",
]
ARRIVING = [
    "- [a]: http://u\n[b]\n",  # a definition is complete before a bracket, also where the line only continues
    "[a]\n\n> [a]: http://u\n[b]\n",
    "[a]: http://u\n'ti\ntle'\n[b]: /v\nx [a]",
    "$$\nx\n\ny",  # a formula that never ends
    "- $$\n  x\ny",
    "```yaml\na: 1\n```\nx",  # coloured at its end alone
    "> ```yaml\n> a: 1\nb\n\nc",
    "- ```yaml\n  a: 1\n\nb",
    "    a\n\n    b\n\n c",
    ">$$\n>\ta",
    "<details>\n\n```\nx\n</details>\n```\ny",
    "| a |\n|---|\n| b\nc\n\nd",
]
RAW = ["-\n  \t<!--\n\n-->\n<div>\n\nx", "- y\n  <summary\n\n  -", "&mp;", "<?x\n\n?>\n- z", ">\t<i>"]


def streamed(text: str, dialect: streamrender.markdown.Dialect = CHAT) -> str:
    stream = Engine(dialect)
    stream.feed(text)
    stream.close()
    return stream.html


@pytest.mark.parametrize("text", KINDS)
def test_kinds_on_which_they_differed(text: str) -> None:
    assert streamed(text) == render_markdown(text)
    assert streamed(text, COMMONMARK) == render_markdown(text, COMMONMARK)


@pytest.mark.parametrize("text", KINDS[:-6] + ARRIVING)
def test_an_unfinished_text_has_the_same_blocks_in_both(text: str) -> None:
    laws.stream(text, laws.every(text))


@pytest.mark.parametrize("text", [*ARRIVING, *RAW])
def test_so_it_has_with_raw_html(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    without_operations(monkeypatch)
    laws.stream(text, laws.every(text), dialect=COMMONMARK)


@pytest.mark.parametrize("dialect", [CHAT, COMMONMARK], ids=["chat", "commonmark"])
def test_random_documents_while_they_arrive(
    dialect: streamrender.markdown.Dialect, monkeypatch: pytest.MonkeyPatch
) -> None:
    if dialect is COMMONMARK:
        without_operations(monkeypatch)
    luck = random.Random(21)
    for _ in range(250):
        made = (
            luck.choice(documents.MARGINS) + "".join(luck.choices(documents.ATOMS[:-1], k=luck.randint(0, 3)))
            for _ in range(luck.randint(1, 6))
        )
        text = "\n".join(made)
        laws.stream(text, laws.every(text), dialect=dialect)


def without_operations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Raw HTML need not come back from a parser as it was written."""
    monkeypatch.setattr(laws, "_follow", lambda *arguments: None)


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


def test_a_grammar_that_is_broken_only_while_a_text_arrives_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Lines, "_before_bracket", lambda self, paragraph: None)
    text = ARRIVING[1]
    assert streamed(text) == render_markdown(text)
    with pytest.raises(laws.Broken, match="live"):
        laws.stream(text, laws.every(text))


ENGINE = {
    "lines",
    "starts",
    "continues",
    "cursor",
    "views",
    "paint",
    "longleaves",
    "late",
    "stream",
    "guarded",
}


def test_a_rendering_from_scratch_never_meets_the_engine() -> None:
    """All that is imported for `render_markdown` and `render_live`, directly or through others."""
    assert not imported("oneshot") & ENGINE
    assert imported("stream") >= ENGINE - {"guarded"}


def test_the_grammars_share_no_rule() -> None:
    """But what a block is, the text of one link definition, the cells of one row."""
    assert imported("tokens", "blockrules") == {
        "tokens",
        "blockparser",
        "blockrules",
        "blocks",
        "references",
        "table",
    }


def imported(*modules: str) -> set[str]:
    seen: set[str] = set()
    waiting = [*modules]
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
    return seen
