"""The tool part of the demo: which calls to make, and what to say about their results."""

from __future__ import annotations

import re
from typing import Any

from chatsite.providers.demo.answer import Answer, Call, Part, Say, Think
from chatsite.providers.demo.arithmetic import expression

PARALLEL = re.compile(r"parallel|at once|side by side|three tools|several tools|并行|同时|三个工具", re.I)
TIME = re.compile(r"what time|current time|\btime is it|\bclock\b|几点|时间|今天", re.I)
ZONES = (
    ("Asia/Shanghai", r"shanghai|beijing|china|北京|上海|中国"),
    ("Asia/Tokyo", r"tokyo|japan|东京|日本"),
    ("Europe/Berlin", r"berlin|germany|柏林|德国"),
    ("Europe/London", r"london|england|伦敦|英国"),
    ("America/New_York", r"new york|纽约"),
)

WORDS = {
    "en": {
        "plan_one": "There is something to compute: {0}. I could do it in my head and be wrong; the "
        "calculator is exact. I pass it on as it stands.",
        "say_one": "Let me compute that.",
        "plan_time": "The time is nothing I can know by myself. The clock tool can.",
        "say_time": "I look at the clock.",
        "plan_many": "Three independent questions: two computations and the time. None needs the result of "
        "another, so all three tools can run side by side.",
        "say_many": "I ask three tools at the same time.",
        "none": "I would compute `{0}` with a tool, but this request offers none, so I leave it to you.",
        "after": "The results are here. I take them as they are and put them into words.",
        "value": "**{0} = {1}**",
        "by": "The calculator was asked for `{0}` and answered `{1}`.",
        "time": "It is **{0}**.",
        "bad": "The tool `{0}` could not do it: {1}",
        "many": "All results are in:\n\n| Tool | Asked | Result |\n|:--|:--|--:|\n{0}\n\n"
        "They ran side by side, so the whole took only as long as the slowest of them.",
    },
    "zh": {
        "plan_one": "这里需要计算 {0}。心算容易出错，计算器是精确的，原样交给它就好。",
        "say_one": "我来算一下。",
        "plan_time": "现在几点我自己不知道，要问时钟工具。",
        "say_time": "我看一下时钟。",
        "plan_many": "三个互不相干的问题：两次计算和一次时间。谁也不用等谁的结果，可以同时进行。",
        "say_many": "我同时调用三个工具。",
        "none": "本想用工具计算 `{0}`，但这次请求没有提供工具，只好留给你了。",
        "after": "结果都到了，照原样写进回答。",
        "value": "**{0} = {1}**",
        "by": "交给计算器的是 `{0}`，它的回答是 `{1}`。",
        "time": "现在是 **{0}**。",
        "bad": "工具 `{0}` 没有成功：{1}",
        "many": "结果都到了：\n\n| 工具 | 问题 | 结果 |\n|:--|:--|--:|\n{0}\n\n"
        "它们是并排进行的，所以总时间只等于最慢的那一个。",
    },
}


def wanted_calls(question: str, language: str, offered: set[str]) -> Answer | None:
    """The answer that calls tools, when the question asks for something only they know."""
    words = WORDS[language]
    formula = expression(question)
    if PARALLEL.search(question) and {"calculator", "current_time"} <= offered:
        first = formula or "23 * 17"
        return _calling(
            words["plan_many"],
            words["say_many"],
            [
                Call("calculator", {"expression": first}),
                Call("calculator", {"expression": f"sqrt({first})"}),
                Call("current_time", {"zone": _zone(question)}),
            ],
        )
    if formula is not None:
        if "calculator" not in offered:
            return Answer([Say(words["none"].format(formula))])
        return _calling(
            words["plan_one"].format(pretty(formula)),
            words["say_one"],
            [Call("calculator", {"expression": formula})],
        )
    if TIME.search(question) and "current_time" in offered:
        return _calling(
            words["plan_time"], words["say_time"], [Call("current_time", {"zone": _zone(question)})]
        )
    return None


def after_results(rounds: list[list[tuple[dict[str, Any], dict[str, Any]]]], language: str) -> Answer:
    """The final answer, made of what the tools gave back in the last round."""
    words = WORDS[language]
    pairs = rounds[-1]
    if len(pairs) > 1:
        rows = "\n".join(
            f"| `{call['name']}` | {_cell(_asked(call))} | {_cell(result_text(result))} |"
            for call, result in pairs
        )
        return Answer([Think(words["after"]), Say(words["many"].format(rows))])
    said = [_sentence(call, result, words) for call, result in pairs]
    return Answer([Think(words["after"]), Say("\n\n".join(said) or words["after"])])


def result_text(result: dict[str, Any]) -> str:
    """The text of a tool result, whichever of its two shapes it has."""
    content = result.get("content", "")
    if isinstance(content, str):
        return content
    return " ".join(part.get("text", "") for part in content)


def pretty(formula: str) -> str:
    """A formula as people like to read it.

    >>> pretty("2 ** 3 * 4 / 5")
    '2^3 × 4 ÷ 5'
    """
    return formula.replace(" ** ", "^").replace("**", "^").replace("*", "×").replace("/", "÷")


def _calling(plan: str, said: str, calls: list[Call]) -> Answer:
    parts: list[Part] = [Think(plan), Say(said), *calls]
    return Answer(parts, stop_reason="tool_use")


def _sentence(call: dict[str, Any], result: dict[str, Any], words: dict[str, str]) -> str:
    value = result_text(result)
    if result.get("is_error"):
        return words["bad"].format(call["name"], value)
    if call["name"] == "calculator":
        formula = call["input"].get("expression", "")
        line = words["value"].format(pretty(formula), value)
        return f"{line}\n\n{words['by'].format(formula, value)}"
    if call["name"] == "current_time":
        return words["time"].format(value)
    return f"`{call['name']}`: {value}"


def _asked(call: dict[str, Any]) -> str:
    return ", ".join(str(value) for value in call["input"].values())


def _cell(text: str) -> str:
    return f"`{text}`".replace("|", "\\|").replace("\n", " ")


def _zone(question: str) -> str:
    return next((zone for zone, pattern in ZONES if re.search(pattern, question, re.I)), "UTC")
