"""The dialect beyond CommonMark, one example each."""

import pytest

from streamrender.markdown import MarkdownStream, render_live, render_markdown

REL = 'rel="noopener noreferrer nofollow ugc" target="_blank"'

FINAL = {
    "- [ ] a\n- [x] b": '<ul>\n<li class="task"><input type="checkbox" disabled=""> a</li>\n'
    '<li class="task"><input type="checkbox" disabled="" checked=""> b</li>\n</ul>\n',
    "~~gone~~ and ~one~": "<p><s>gone</s> and ~one~</p>\n",
    "https://a.b/c.": f'<p><a href="https://a.b/c" {REL}>https://a.b/c</a>.</p>\n',
    "README.md www.x.org a@b.c": "<p>README.md www.x.org a@b.c</p>\n",
    "见https://例.com，好": "<p>见https://例.com，好</p>\n",
    "（https://a.b/x）后": f'<p>（<a href="https://a.b/x" {REL}>https://a.b/x</a>）后</p>\n',
    "[x](javascript:alert(1))": "<p>[x](javascript:alert(1))</p>\n",
    "> [!TIP]\n> a": '<div class="alert alert-tip">\n<p>a</p>\n</div>\n',
    "H<sub>2</sub>O <b>x</b>": "<p>H<sub>2</sub>O &lt;b&gt;x&lt;/b&gt;</p>\n",
    "<sub>*a</sub>*": "<p>&lt;sub&gt;<em>a&lt;/sub&gt;</em></p>\n",
    "a <details> b": "<p>a &lt;details&gt; b</p>\n",
    "<details open>\n<summary>S *x*</summary>\n\n- p\n</details>\nq": '<details open="">\n'
    "<summary>S <em>x</em></summary>\n"
    "<ul>\n<li>p</li>\n</ul>\n</details>\n<p>q</p>\n",
    "costs $5 and $6, `$x$`": "<p>costs $5 and $6, <code>$x$</code></p>\n",
    "**（注）**文": "<p><strong>（注）</strong>文</p>\n",
    "**마크다운(Markdown)**은": "<p><strong>마크다운(Markdown)</strong>은</p>\n",
    "*foo*bar 2*3*4": "<p><em>foo</em>bar 2<em>3</em>4</p>\n",
    "a[^1]": "<p>a[^1]</p>\n",
    "| a |\n|:-:|\n| b |": '<table>\n<thead>\n<tr>\n<th align="center">a</th>\n</tr>\n</thead>\n'
    '<tbody>\n<tr>\n<td align="center">b</td>\n</tr>\n</tbody>\n</table>\n',
}


@pytest.mark.parametrize("text", FINAL)
def test_final(text: str) -> None:
    assert render_markdown(text) == FINAL[text]


def test_footnotes_are_numbered_by_their_first_reference_and_appended_at_the_end() -> None:
    text = "A[^m], c[^r], again[^m].\n\n[^r]: R\n[^m]: M *x*\n"
    html = render_markdown(text)
    first, section = html.split("<section")
    assert [first.count(f'href="#fn-{n}"') for n in (1, 2)] == [2, 1]
    assert section.index("M <em>x</em>") < section.index(">R<")
    markdown = MarkdownStream(scope="t7-")
    markdown.feed(text)
    assert "section" not in markdown.html
    markdown.close()
    assert 'id="t7-fn-1"' in markdown.html


def test_a_formula_is_mathml_and_a_broken_one_its_source() -> None:
    assert "<mfrac>" in render_markdown("$\\frac{a}{b}$")
    assert render_markdown("$\\frac{$") == '<p><code class="math">$\\frac{$</code></p>\n'
    assert "<script" not in render_markdown("$\\text{<script>x</script>}$")
    assert "javascript" not in render_markdown("$\\href{javascript:x}{y}$").replace(
        "\\href{javascript:x}", ""
    )


def test_a_formula_has_no_blank_line_inside() -> None:
    assert "<math" not in render_markdown("$$\na\n\nb\n$$")


LIVE = {
    "Use **isEven(n": "<p>Use <strong>isEven(n</strong></p>\n",
    "a **": "<p>a </p>\n",
    "2*3": "<p>2*3</p>\n",
    "it`s": "<p>it`s</p>\n",
    "see [1": "<p>see </p>\n",
    "see [x": "<p>see <a>x</a></p>\n",
    "see [^no": "<p>see </p>\n",
    "![alt](https://x": '<p><span class="image"><span class="image-alt">alt</span></span></p>\n',
    "see https://e.com/a": "<p>see <a>https://e.com/a</a></p>\n",
    "AT&am": "<p>AT</p>\n",
    "Steps\n-": "<p>Steps</p>\n",
    "- [ ]": "",
    "[x]: http://e.c": "",
    "> [!NO": "",
    "# T": "<h1>T</h1>\n",
    "H<sub>2": "<p>H<sub>2</sub></p>\n",
    "| a | b |": "",
}


@pytest.mark.parametrize("text", LIVE)
def test_live(text: str) -> None:
    assert render_live(text) == LIVE[text]
