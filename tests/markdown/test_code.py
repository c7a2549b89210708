"""Highlighted code: the same colours line by line as at once, whatever the language."""

import re

import pytest

from streamrender.markdown import MarkdownStream, render_live, render_markdown
from streamrender.markdown.code import LINES
from tests.markdown import laws

SNIPPETS = {
    "python": 'def f(a, *, b="x"):\n    """Doc\n    string."""\n    return {a: f"{b!r}"}  # end\n',
    "js": "const f = async (a) => {\n  /* long\n     comment */ return `x ${a} y`;\n}\n",
    "cpp": "#include <vector>\nstd::vector<int> v{1, 2}; // x\n/* a\n b */ template <class T> T f();\n",
    "html": "<!doctype html>\n<script>\nlet x = 1;\n</script>\n<p class='a'>b</p>\n",
    "yaml": "a:\n  - b: |\n      text\n    c: 'd'\n",
    "php": "<?php\n$a = <<<EOT\nx $b\nEOT;\n?>\n<p>\n",
    "bash": 'for f in *.txt; do\n  echo "$f" <<EOF\nx\nEOF\ndone\n',
    "sql": "SELECT a, 'b' FROM t -- c\nWHERE x = 1;\n",
    "json": '{"a": [1, true, null],\n "b": "c"}\n',
    "diff": "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n",
    "rust": 'fn main() {\n    let s = r#"a\nb"#;\n    println!("{}", s);\n}\n',
    "no-such-language": "a < b && c\n",
}
MORE = (
    "c c++ java go kotlin swift ruby perl lua r scala haskell elixir erlang clojure lisp scheme ocaml",
    "fsharp csharp ts tsx jsx css scss less xml toml ini",
    "dockerfile make cmake nginx vim latex markdown graphql",
    "proto asm matlab",
    "julia dart groovy powershell bat console pycon jinja erb vue svelte terraform nix zig",
)


@pytest.mark.parametrize("language", SNIPPETS)
def test_the_laws_hold_at_every_character(language: str) -> None:
    text = f"```{language}\n{SNIPPETS[language]}```\n"
    laws.stream(text, laws.every(text))
    laws.safe(render_markdown(text))


@pytest.mark.parametrize("language", " ".join(MORE).split())
def test_any_language_can_be_streamed(language: str) -> None:
    code = "".join(SNIPPETS.values())
    text = f"```{language}\n{code}```\n"
    laws.stream(text, range(40, len(text), 40))
    assert laws.reparsed(render_markdown(text)) == render_markdown(text)


def test_the_unfinished_line_is_plain_and_complete_lines_keep_their_colours() -> None:
    assert render_live("```py\nx = 'a'") == "<pre><code class=\"language-py\">x = 'a'</code></pre>\n"
    live = render_live("```py\nx = 'a'\ny")
    assert live == '<pre><code class="language-py">x = <span class="s1">\'a\'</span>\ny</code></pre>\n'


def test_a_language_whose_lexer_needs_everything_is_coloured_at_the_end() -> None:
    markdown = MarkdownStream()
    markdown.feed("```yaml\na: 'b'\n")
    assert "<span" not in markdown.html
    markdown.feed("```\n")
    assert "<span" in markdown.html


def test_plain_code_has_no_spans() -> None:
    assert render_markdown("```text\nif x\n```\n") == '<pre><code class="language-text">if x\n</code></pre>\n'


@pytest.mark.parametrize(("language", "wrap"), [("python", ""), ("yaml", ""), ("html", "> "), ("text", "  ")])
def test_long_code_stands_in_groups_of_lines_that_come_line_by_line(language: str, wrap: str) -> None:
    lines = ['x = """a', "", 'b"""  # c', "<i> & 'd'", "    e: 'f'", "``", "g"]
    code = [lines[i % len(lines)] for i in range(3 * LINES + 5)]
    text = "".join(f"{wrap}{line}\n" for line in [f"```{language}", *code, "```", "", "After."])
    if wrap == "  ":
        text = "- item\n" + text
    at = text.index("g\n", len(text) // 3 - 60)
    laws.stream(text, [*range(200, at, 150), *range(at, at + 60), *range(at + 60, len(text), 97)])
    html = render_markdown(text)
    assert html.count('<span class="lines">') == 3
    laws.safe(html)
    assert "\n".join(code) in "".join(re.split("<[^>]*>", html)).replace("&lt;", "<").replace(
        "&gt;", ">"
    ).replace("&amp;", "&")


def test_indented_code_stands_in_groups_too() -> None:
    text = "".join(f"    {i}\n" if i % 5 else "\n" for i in range(1, 2 * LINES + 9)) + "\nAfter.\n"
    laws.stream(text, range(11, len(text), 11))
    assert render_markdown(text).count('<span class="lines">') == 2
