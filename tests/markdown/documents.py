"""Generated documents: lines of Markdown atoms in nested containers, with tabs, CR/LF mixes and late
definitions.
"""

from hypothesis import strategies as st

ATOMS = [
    *(
        "- ",
        "* ",
        "1. ",
        "2) ",
        "10. ",
        "> ",
        ">",
        "  ",
        "    ",
        "\t",
        " ",
        "# ",
        "### ",
        "```",
        "~~~",
        "````",
        "---",
    ),
    *(
        "***",
        "===",
        "-",
        "=",
        "a",
        "foo",
        "b c",
        "*x*",
        "**b**",
        "`c`",
        "[foo]",
        "[foo]: http://u.v",
        "[bar]:",
    ),
    *(
        "[bar]: <http://u> 't'",
        "[x][bar]",
        "'title'",
        '"ti',
        'tle"',
        "(t)",
        "<div>",
        "<b>",
        "<sub>",
        "</sub>",
        "<br>",
    ),
    *("$x^2$", "$5", "$$", "\\(", "\\)", "\\[", "\\]", "[^1]", "[^1]: ", "[^n]", "<details>", "</details>"),
    *(
        "<summary>s</summary>",
        "| a | b |",
        "|---|---|",
        "| - |",
        "|",
        "a | b",
        "--- | ---",
        "[ ] t",
        "[x] t",
        "~~s~~",
    ),
    *(
        "\\",
        "&amp;",
        "http://e.co",
        "[!NOTE]",
        "![i](http://u)",
        "[l](http://u)",
        "_",
        "1",
        "xxx",
        "  \n",
        "\\\n",
    ),
    *("#", "中文。", "**", "*", "\r\n", "\r", "```python", "def f():", "'''", "word " * 40),
]
MARGINS = ["", "", "", "  ", "    ", "> ", "- ", "1. ", "   ", "> - ", "- - ", ">> ", "\t"]

_LINE = st.builds(
    lambda margin, parts: margin + "".join(parts),
    st.sampled_from(MARGINS),
    st.lists(st.sampled_from(ATOMS), max_size=5),
)
DOCUMENTS = st.lists(_LINE, min_size=1, max_size=10).map("\n".join)
