"""Chooses the answer: looks at the last question, its tool results, and the words that ask for trouble."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

from chatsite.providers.demo import reckoning
from chatsite.providers.demo.answer import Answer, Part, Raw, Say, Think, plain

TEXT = Path(__file__).parent / "text"
CHINESE = re.compile(r"[\u4e00-\u9fff]")

TOPICS = (
    ("long", r"think (long|hard|deeply)|knot|长时间思考|想久|绳结|深入思考"),
    ("code", r"iseven|\bcode\b|javascript|\bfunction\b|代码|函数|偶数"),
    ("tour", r"\btour\b|markdown|formatting|展示|样式|排版|格式"),
    ("story", r"\bstory\b|telegraph|semaphore|\bessay\b|故事|烽火|文章"),
)
TROUBLE = (
    ("limit_in_thinking", r"max[_ ]?tokens while thinking|思考时达到(长度)?上限"),
    ("limit", r"max[_ ]?tokens|达到(长度)?上限|长度上限"),
    ("fail", r"fail (mid-?way|in the middle)|中途失败|中途出错"),
    ("cut", r"cut off|断开|断线"),
    ("refuse", r"\brefuse\b|拒绝"),
    ("stop_sequence", r"stop sequence|停止序列"),
    ("redacted", r"redacted|隐藏思考|隐藏的思考"),
    ("fallback", r"fall ?back|switch models?|换一个模型"),
)
CONTINUE = re.compile(r"Continue exactly where|\s*(Continue|继续)[.。]?\s*$", re.I)
"""What asks for the rest: a request after a limit, and the page's own button."""
OVERLOADED = re.compile(r"overloaded|过载", re.I)


def answer(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Answer:
    """The answer to a valid request. The same request always gets the same answer."""
    question, rounds = last_question(messages)
    if CONTINUE.match(question):
        return _rest(messages)
    offered = {tool["name"] for tool in tools}
    language = "zh" if CHINESE.search(question) else "en"
    trouble = _first(TROUBLE, question)
    if rounds:
        return reckoning.after_results(rounds, language)
    if trouble is None:
        calls = reckoning.wanted_calls(question, language, offered)
        if calls is not None:
            return calls
    topic = _first(TOPICS, question) or ("story" if trouble else "hello")
    return _in_trouble(trouble, script(topic, language), language)


def _rest(messages: list[dict[str, Any]]) -> Answer:
    """What an answer that was cut had still to say: its text goes on where it stopped."""
    before = messages[-2] if len(messages) > 1 else {"role": "assistant", "content": []}
    said = "".join(b["text"] for b in blocks(before) if b["type"] == "text").strip()
    for path in sorted(TEXT.glob("*.md")):
        topic, language, _ = path.name.split(".")
        whole = plain(script(topic, language)[1])
        if said and (at := whole.find(said)) >= 0 and (rest := whole[at + len(said) :]).strip():
            return Answer([Say(rest)])
    return Answer([Say("There is nothing to continue.")])


def overloaded(messages: list[dict[str, Any]]) -> bool:
    """True when the last question asks for a server that is too busy at first."""
    return OVERLOADED.search(last_question(messages)[0]) is not None


def last_question(
    messages: list[dict[str, Any]],
) -> tuple[str, list[list[tuple[dict[str, Any], dict[str, Any]]]]]:
    """The text of the last question, and for each tool round since then its (call, result) pairs."""
    start = max(
        n
        for n, message in enumerate(messages)
        if message["role"] == "user" and any(b["type"] != "tool_result" for b in blocks(message))
    )
    # A message may hold several questions, when earlier ones were never answered: the last one counts.
    texts = [b["text"] for b in blocks(messages[start]) if b["type"] == "text"]
    question = texts[-1] if texts else ""
    rounds = []
    for asked, replied in zip(messages[start + 1 :: 2], messages[start + 2 :: 2], strict=False):
        results = {b["tool_use_id"]: b for b in blocks(replied)}
        rounds.append([(b, results[b["id"]]) for b in blocks(asked) if b["type"] == "tool_use"])
    return question, rounds


def blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    """A message's content as blocks, also when it is written as one string."""
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


@cache
def script(topic: str, language: str) -> tuple[str, str]:
    """(thinking, answer) of a script file, borders included."""
    written = (TEXT / f"{topic}.{language}.md").read_text("utf-8")
    _, thinking, said = re.split(r"^%% (?:thinking|answer)\n", written, flags=re.M)
    return thinking.strip(), said.strip()


def _first(table: tuple[tuple[str, str], ...], question: str) -> str | None:
    return next((name for name, pattern in table if re.search(pattern, question, re.I)), None)


def _in_trouble(trouble: str | None, words: tuple[str, str], language: str) -> Answer:
    thinking, said = words
    parts: list[Part] = [Think(thinking), Say(said)]
    half = Say(said[: _word_end(said, len(said) // 2)])
    match trouble:
        case "limit_in_thinking":
            cut = thinking[: _word_end(thinking, len(thinking) * 3 // 4)]
            return Answer([Think(cut, signed=False)], stop_reason="max_tokens")
        case "limit":
            return Answer([Think(thinking), half], stop_reason="max_tokens")
        case "fail":
            return Answer([Think(thinking), half], broken="error")
        case "cut":
            return Answer([Think(thinking), half], broken="cut")
        case "refuse":
            explanation = {
                "en": "This answer was refused because the demo was asked to refuse.",
                "zh": "演示按要求拒绝了这个回答。",
            }[language]
            details = {"type": "refusal", "category": "general_harms", "explanation": explanation}
            return Answer([], stop_reason="refusal", stop_details=details)
        case "stop_sequence":
            return Answer([Think(thinking), half], stop_reason="stop_sequence", stop_sequence="END")
        case "redacted":
            return Answer([Think(thinking, hidden=True), Think(thinking), Say(said)])
        case "fallback":
            seam = {
                "type": "fallback",
                "from": {"model": "streamrender-demo"},
                "to": {"model": "streamrender-demo-small"},
                "trigger": {"type": "refusal", "category": "cyber"},
            }
            # Between two paragraphs: what stands on both sides of a seam is drawn on its own.
            border = said.find("\n\n", len(said) // 2)
            return Answer([Think(thinking), Say(said[:border]), Raw(seam), Say(said[border:].lstrip())])
    return Answer(parts)


def _word_end(text: str, near: int) -> int:
    """The end of the word at `near`, so that a half text still reads well."""
    found = re.compile(r"(?<=[\w。，])(?=[\s。，])").search(text, near)
    return found.start() if found else near
