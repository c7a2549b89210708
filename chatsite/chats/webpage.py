"""A conversation as one HTML file that needs nothing else: no script, no request, its style inside.

It shows the newest branch as the page showed it. Texts are the pages' own HTML, which came through the
allow-list; everything else is escaped. Its own policy forbids scripts and requests, should it be put on a
server one day.
"""

from functools import cache

from django.contrib.staticfiles import finders
from django.template.loader import render_to_string

from chatsite.chats import thread
from chatsite.chats.models import Conversation

STYLES = ("css/tokens.css", "css/base.css", "css/prose.css", "css/code.css", "css/webpage.css")


def html(conversation: Conversation) -> str:
    """The file, in the language of the request."""
    ids = [turn.id for turn in thread.branch(conversation)]
    turns = []
    asked = None
    for turn in thread.loaded(ids):
        frame = thread.snapshot_of(turn)
        panes = [pane for pane in frame["page"]["panes"] if not pane.get("superseded")]
        again = turn.user_message_id == asked
        asked = turn.user_message_id
        turns.append(
            {"user": None if again else frame["user"], "about": frame["page"]["turn"], "panes": panes}
        )
    context = {"conversation": conversation, "turns": turns, "style": _style()}
    return render_to_string("chats/webpage.html", context)


@cache
def _style() -> str:
    """The style sheets in one, without the fonts, which are files of their own."""
    parts = []
    for name in STYLES:
        path = finders.find(name)
        assert isinstance(path, str)
        with open(path, encoding="utf-8") as file:
            parts.append(file.read())
    text = "\n".join(parts)
    while (start := text.find("@font-face")) >= 0:
        text = text[:start] + text[text.index("}", start) + 1 :]
    assert "</" not in text
    return text
