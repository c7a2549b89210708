"""What a page has to show for a message: an oracle made of the message alone, without the page's code."""

from typing import Any

from streamrender.markdown import render_markdown
from streamrender.page.sources import source_of
from tests.page.viewer import parse, serialise


def _tree(html: str) -> str:
    return serialise(parse(html))


def expected(message: dict[str, Any]) -> list[Any]:
    """One entry for each pane, in order; results of provider-run tools belong to their call's pane."""
    panes: list[Any] = []
    calls = {b.get("id") for b in message["content"] if b["type"].endswith("tool_use")}
    for block in _joined(message["content"]):
        kind = block["type"]
        if kind in ("text", "thinking"):
            if block.get(kind, "").strip():
                panes.append([kind, _tree(render_markdown(block[kind]))])
        elif kind.endswith("tool_use"):
            whole = block["input_status"] == "complete"
            panes.append(["tool", block["name"], _rows(block["input"]) if whole else None])
        elif "tool_use_id" in block:
            if block["tool_use_id"] not in calls:
                panes.append(["tool", None, []])
        elif kind == "redacted_thinking":
            panes.append(["redacted"])
        elif kind == "fallback":
            panes.append(["seam"])
        else:
            panes.append(["unknown", kind])
    return panes


def _joined(content: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The blocks, with cited text joined to the text that it stands in."""
    blocks: list[dict[str, Any]] = []
    cited = False
    listed: list[Any] = []
    for block in content:
        now = isinstance(block.get("citations"), list)
        if block["type"] == "text":
            if not (
                blocks and blocks[-1]["type"] == "text" and (cited or now) and blocks[-1]["text"].strip()
            ):
                listed = []
            block = {**block, "text": _marked(block["text"], block.get("citations") or [], listed)}
        last = blocks[-1] if blocks else {"type": ""}
        if block["type"] == last["type"] == "text" and (cited or now) and last["text"].strip():
            blocks[-1] = {**last, "text": last["text"] + block["text"]}
        else:
            blocks.append(block)
        cited = now
    return blocks


def _marked(text: str, citations: list[Any], listed: list[Any]) -> str:
    """The text of a block with the numbers of what it cites behind its last word; `listed` is the list of the
    pane, to which new ones are added."""
    marks: list[str] = []
    places: dict[int, list[str]] = {}
    for citation in citations:
        source = source_of(citation)
        if source is None:
            continue
        if source not in listed:
            listed.append(source)
        number = listed.index(source) + 1
        link = f"[{number}](<{source['url'].replace('&', '&amp;')}>)" if source["url"] else str(number)
        here = marks
        if citation["type"] == "web_search_result_location" and "end_char_index" in citation:
            here = places.setdefault(citation["end_char_index"] or 0, [])
        if str(citation.get("type")).endswith("_location") and link not in here:
            here.append(link)
    places.pop(0, None)
    for place, there in sorted(places.items(), reverse=True):
        text = text[:place] + _sup(there) + text[place:]
    words = text.rstrip()
    return words + _sup(marks) + text[len(words) :]


def _sup(links: list[str]) -> str:
    return f"<sup>{', '.join(links)}</sup>" if links else ""


def _rows(value: dict[str, Any]) -> list[Any]:
    """Rows whose text is certain: strings are shown as they are; of other values the key counts."""
    return [[key, text if isinstance(text, str) else None] for key, text in value.items()]


def shown(page: dict[str, Any], like: list[Any]) -> list[Any]:
    """The page's panes in the same form; what the expectation leaves open is left open."""
    panes: list[Any] = []
    for pane in page["panes"]:
        kind = pane["kind"]
        if kind == "superseded" or (pane.get("superseded") and kind != "tool"):
            continue
        want = like[len(panes)] if len(panes) < len(like) else []
        if kind in ("text", "thinking"):
            panes.append([kind, _tree(pane["html"])])
        elif kind == "tool":
            rows = [[key, text] for key, text, complete in pane["args"]]
            if len(want) == 3 and want[2] is None:
                rows = None
            elif len(want) == 3 and want[2] is not None:
                assert all(complete for _, _, complete in pane["args"])
                rows = [
                    [key, None if i < len(want[2]) and want[2][i][1] is None else text]
                    for i, (key, text) in enumerate(rows)
                ]
            panes.append(["tool", None if len(want) == 3 and want[1] is None else pane["name"], rows])
        else:
            panes.append([kind, pane["block_type"]] if kind == "unknown" else [kind])
    return panes
