"""Examples for the extensions of GitHub Flavored Markdown: tables, task list items, strikethrough, extended
autolinks and disallowed raw HTML. Ours, one or more for each rule of that specification (0.29-gfm).

`HTML`: what the specification asks for. `DIFFERS`: what our dialect gives instead, with the reason.
"""

REL = 'rel="noopener noreferrer nofollow ugc" target="_blank"'


def table(head: str, *rows: str) -> str:
    """A table from its cells as HTML."""

    def row(cells: str) -> str:
        return "<tr>\n" + "".join(f"{cell}\n" for cell in cells.split("|")) + "</tr>\n"

    body = f"<tbody>\n{''.join(map(row, rows))}</tbody>\n" if rows else ""
    return f"<table>\n<thead>\n{row(head)}</thead>\n{body}</table>\n"


def link(address: str, text: str = "") -> str:
    return f'<a href="{address}" {REL}>{text or address}</a>'


HTML: dict[str, str] = {
    "| a | b |\n| - | - |\n| c | d |\n": table("<th>a</th>|<th>b</th>", "<td>c</td>|<td>d</td>"),
    "| a | long |\n:-: | ---:\nc | d\n": table(
        '<th align="center">a</th>|<th align="right">long</th>',
        '<td align="center">c</td>|<td align="right">d</td>',
    ),
    "| a |\n| - |\n> b\n": table("<th>a</th>") + "<blockquote>\n<p>b</p>\n</blockquote>\n",
    "| a | b |\n| - | - |\n| c | d |\ne\n\nf\n": table(
        "<th>a</th>|<th>b</th>", "<td>c</td>|<td>d</td>", "<td>e</td>|<td></td>"
    )
    + "<p>f</p>\n",
    "| a | b |\n| - |\n| c |\n": "<p>| a | b |\n| - |\n| c |</p>\n",
    "| a | b |\n| - | - |\n| c |\n| d | e | f |\n": table(
        "<th>a</th>|<th>b</th>", "<td>c</td>|<td></td>", "<td>d</td>|<td>e</td>"
    ),
    "| a | b |\n| - | - |\n": table("<th>a</th>|<th>b</th>"),
    "~~Hi~~ there\n": "<p><s>Hi</s> there</p>\n",
    "Not ~~over\n\na paragraph~~.\n": "<p>Not ~~over</p>\n<p>a paragraph~~.</p>\n",
    "http://a.example/b\n": f"<p>{link('http://a.example/b')}</p>\n",
    "(http://a.example/b?c=(d))\n": f"<p>({link('http://a.example/b?c=(d)')})</p>\n",
    "See https://a.example/b.\n": f"<p>See {link('https://a.example/b')}.</p>\n",
}

DIFFERS: dict[str, tuple[str, str]] = {
    "- [ ] a\n- [x] b\n": (
        '<ul>\n<li class="task"><input type="checkbox" disabled=""> a</li>\n'
        '<li class="task"><input type="checkbox" disabled="" checked=""> b</li>\n</ul>\n',
        "an item says that it is a task, for the style sheet; the order of attributes",
    ),
    "Not ~~~three~~~ of them.\n": (
        "<p>Not ~<s>three</s>~ of them.</p>\n",
        "markdown-it-py's rule takes two of three marks",
    ),
    "www.example.org and a@b.example\n": (
        "<p>www.example.org and a@b.example</p>\n",
        "only an address with a scheme is a link, so that README.md and names in prose are not",
    ),
    "<b>x</b> <title>\n": (
        "<p>&lt;b&gt;x&lt;/b&gt; &lt;title&gt;</p>\n",
        "all raw HTML is disallowed but for a few inert tags",
    ),
    "<script>\nx\n</script>\n": ("<p>&lt;script&gt;\nx\n&lt;/script&gt;</p>\n", "the same, as a block"),
    "a <u>b</u> <kbd>c</kbd>\n": (
        "<p>a <u>b</u> <kbd>c</kbd></p>\n",
        "inert tags, closed and without attributes",
    ),
}
