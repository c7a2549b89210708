"""Web pages as text for a model: what is readable, in order, bounded."""

import time
from typing import Any

import pytest

from chatsite.tools import registry, webpage
from chatsite.tools.guarded import Forbidden, Page
from chatsite.tools.readable import readable
from chatsite.tools.webpage import text_of

PAGE = """<!doctype html><html><head><title>The  page</title><style>p{color:red}</style></head>
<body><nav>Home | About</nav><h1>Head &amp; line</h1><p>One
<b>two</b>&nbsp;three.<!-- hidden --><script>alert(1)</script></p>
<table><tr><td>a</td><td>b</td></tr></table><ul><li>x</li><li>y</li></ul><div>end</body>"""


def page(data: bytes, media_type: str = "text/html", charset: str = "", cut: bool = False) -> Page:
    return Page("https://example.com/", media_type, charset, data, cut)


def test_the_readable_text() -> None:
    assert readable(PAGE) == "Head & line\nOne two three.\na | b |\nx\ny\nend"


def test_a_page_has_title_and_address() -> None:
    assert text_of(page(PAGE.encode())).startswith("The page\nhttps://example.com/\n\nHead & line")


@pytest.mark.parametrize(
    ("data", "charset"),
    [
        ("中文".encode(), ""),
        ("中文".encode("gb18030"), "gb18030"),
        (b'<meta charset="gbk">' + "中文".encode("gbk"), ""),
        ("中文".encode(), "no-such-charset"),
        ("中文".encode(), "idna"),
    ],
)
def test_charsets(data: bytes, charset: str) -> None:
    assert "中文" in text_of(page(data, charset=charset))


def test_plain_text_and_json_stay_as_they_are() -> None:
    assert text_of(page(b"a <b>\n c", "text/plain")).endswith("\n\na <b>\n c")
    assert text_of(page(b'{"a": 1}', "application/problem+json")).endswith('{"a": 1}')


@pytest.mark.parametrize("media_type", ["image/png", "application/pdf", "application/octet-stream"])
def test_other_media_are_refused(media_type: str) -> None:
    with pytest.raises(Forbidden, match=media_type):
        text_of(page(b"x", media_type))


def test_long_pages_are_cut_and_say_so() -> None:
    text = text_of(page(b"word " * 20_000, "text/plain"))
    assert len(text) < webpage.MOST_CHARACTERS + 200
    assert text.endswith("[cut here, the page is longer]")
    assert text_of(page(b"short", "text/plain", cut=True)).endswith("longer]")


@pytest.mark.parametrize(
    "shape",
    [
        "<b>",
        "<div>",
        "<!--",
        "<a href='",
        "&",
        "<![CDATA[",
        "</x",
        "<table>",
        "<script>",
        "<",
        "<!DOCTYPE",
        "</script ",
    ],
)
def test_hostile_html_takes_no_long_time(shape: str) -> None:
    began = time.process_time()
    readable(shape * (1_000_000 // len(shape)), 100_000)
    assert time.process_time() - began < 3


async def test_the_tool_is_there_only_when_it_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    async def quiet(text: str) -> None:
        return None

    def names() -> set[str]:
        return {definition["name"] for definition in registry.definitions()}

    monkeypatch.delenv("STREAMRENDER_FETCH", raising=False)
    assert "fetch_page" not in names()
    assert (await registry.run("fetch_page", {"url": "http://127.0.0.1/"}, quiet)).is_error
    monkeypatch.setenv("STREAMRENDER_FETCH", "1")
    assert "fetch_page" in names()
    assert registry.approval("fetch_page") == "ask"
    outcome: Any = await registry.run("fetch_page", {"url": "http://127.0.0.1/"}, quiet)
    assert outcome.is_error
    assert "not a public" in outcome.content
    outcome = await registry.run("fetch_page", {"url": "file:///etc/passwd"}, quiet)
    assert "not valid" in outcome.content
