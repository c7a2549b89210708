"""The configured grammar: one markdown-it for inline text, and which blocks the line grammar knows.

Two dialects are made here. `CHAT` is what the product renders. `COMMONMARK` is the specification and nothing
else, raw HTML included; it exists so that the engine can be measured against the specification's own examples
and must never render text from outside.
"""

import re
from dataclasses import dataclass
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from streamrender.markdown import blockrules, rules, unfinished
from streamrender.markdown.blockparser import Blocks

_SCHEME = re.compile(r"^(?:https?://|mailto:)", re.I)
_SPACE = re.compile(r"[\s\x00-\x20]")


class _Chat(MarkdownIt):
    """Only links that leave by http, https or mail are links; all others stay text."""

    def validateLink(self, url: str) -> bool:
        return bool(_SCHEME.match(url)) and not _SPACE.search(url)


@dataclass(frozen=True)
class Dialect:
    """`md` reads inline text, `blocks` documents; `extended`: tables, maths, footnotes, alerts, details;
    `tasks`: task lists; `html`: raw HTML is passed on.
    """

    md: MarkdownIt
    blocks: MarkdownIt
    extended: bool
    tasks: bool
    html: bool

    def inline(self, text: str, env: dict[str, Any]) -> list[Token]:
        """The tokens of the inline text of one leaf. Text that markdown-it cannot parse comes back as
        text.
        """
        state = _State(text, self.md, env, [])
        try:
            self.md.inline.tokenize(state)
            if "live" in env:
                last = state.tokens[-1] if state.tokens else None
                ends = last is not None and last.type == "text" and last.content[-1:] == text[-1:]
                env["plain_end"] = (ends and "held" not in env) or "room" in env
            for rule in self.md.inline.ruler2.getRules(""):
                rule(state)
        except (IndexError, ValueError, RecursionError, RuntimeError):
            token = Token("text", "", 0)
            token.content = text
            return [token]
        return state.tokens


class _State(StateInline):
    """Emphasis next to Chinese, Japanese and Korean text, where `env["cjk"]` is set."""

    def scanDelims(self, start: int, canSplitWord: bool) -> Any:
        if "plain" in self.env:
            return super().scanDelims(start, canSplitWord)
        return rules.scan_delimiters(self.src, start, self.posMax, canSplitWord)


def _chat() -> Dialect:
    md = _Chat("commonmark", {"html": False, "linkify": False})
    md.enable(["strikethrough"])
    inline = md.inline.ruler
    inline.before("escape", "math", rules.math)
    inline.before("link", "footnote", rules.footnote)
    inline.before("newline", "address", rules.address)
    inline.at("html_inline", rules.inert_tag)
    inline.before("text", "unfinished", unfinished.hold)
    inline.after("link", "unfinished_link", unfinished.link)
    md.inline.ruler2.after("balance_pairs", "unfinished", unfinished.close_emphasis)
    return Dialect(md, _blocks(True), extended=True, tasks=True, html=False)


def _blocks(extended: bool) -> MarkdownIt:
    """markdown-it with the block rules of a dialect."""
    md = _Chat() if extended else MarkdownIt()
    md.block = Blocks()
    md.configure("commonmark")
    md.options["html"] = not extended
    md.options["maxNesting"] = 4 * blockrules.MAX_DEPTH  # beyond it, markdown-it would drop what follows
    if extended:
        blockrules.extend(md)
    else:
        blockrules.cap(md)
    return md


CHAT = _chat()
COMMONMARK = Dialect(MarkdownIt("commonmark"), _blocks(False), extended=False, tasks=False, html=True)
