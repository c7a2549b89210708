"""The laws of a turn's page and of compaction, as checkers. Each raises AssertionError for a page that
breaks it."""

import json
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

from tests.page.viewer import Viewer

Events = list[dict[str, Any]]


def cut(events: Events, places: Iterable[int]) -> list[Events]:
    """The events in feeds that begin at 0 and at each place."""
    ends = sorted({place % (len(events) + 1) for place in places} | {0, len(events)})
    return [events[start:end] for start, end in pairwise(ends)]


def changes_are_the_difference(page: Any, feeds: list[Events], apply: Callable[..., Any]) -> None:
    """Law: the snapshot before, with a feed's changes applied, is the snapshot after (also by the viewer)."""
    before = page.snapshot()
    viewer = Viewer(before)
    for feed in feeds:
        changes = page.feed(json.loads(json.dumps(feed)))
        after = page.snapshot()
        viewer.apply(changes)
        assert viewer.page() == Viewer(after).page()
        assert Viewer(apply(before, changes)).page() == Viewer(after).page()
        before = after


def cuts_do_not_matter(make: Callable[[], Any], events: Events, feeds: list[Events]) -> None:
    """Law: the page at the end is the same however the events came."""
    whole, parts = make(), make()
    whole.feed(events)
    for feed in feeds:
        parts.feed(feed)
    assert whole.snapshot() == parts.snapshot()


def compacting_is_invisible(
    compact: Callable[[Events], Events],
    events: Events,
    page: Callable[[Events], Any],
    message: Callable[[Events], Any],
) -> None:
    """Law: compacted events make the same page and message; twice is once; the spans of time survive."""
    given = json.loads(json.dumps(events))
    small = compact(events)
    assert events == given, "the events given are left alone"
    assert page(small) == page(events)
    assert message(small) == message(events)
    assert compact(small) == small
    assert [e for e in small if not _is_delta(e)] == [
        e for e in events if not _is_delta(e) and e["type"] != "ping"
    ]
    assert _spans(small) == _spans(events)


def _is_delta(event: dict[str, Any]) -> bool:
    return event["type"] == "content_block_delta"


def _spans(events: Events) -> dict[str, tuple[int, int]]:
    """For each block and kind of delta, when it first and last grew."""
    spans: dict[str, tuple[int, int]] = {}
    attempt = 0
    for event in events:
        attempt += event["type"] in ("request_started", "message_start", "content_block_start")
        if _is_delta(event) and "at" in event:
            key = f"{attempt} {event.get('index')} {event['delta'].get('type')}"
            first, _ = spans.get(key, (event["at"], 0))
            spans[key] = (first, event.get("until", event["at"]))
    return spans
