"""Finds what to compute in a question, as people write it in English or Chinese."""

from __future__ import annotations

import ast
import re

WORDS = [
    (r"(\d[\d.]*) ?的平方根", r"sqrt(\1)"),
    (r"square root of (\d[\d.]*)", r"sqrt(\1)"),
    (r"(\d[\d.]*) ?%(?: of |的)(\d[\d.]*)", r"\1/100*\2"),
    (r" multiplied by | times |乘以|乘", " * "),
    (r" divided by | over |除以", " / "),
    (r" plus |加上|加", " + "),
    (r" minus |减去|减", " - "),
    (r" to the power of | to the ", " ** "),
    (r" squared|的平方", " ** 2"),
    (r" cubed|的立方", " ** 3"),
    ("×|·", "*"),
    ("÷", "/"),
    (r"\^", "**"),
    ("[−–]", "-"),
    ("（", "("),
    ("）", ")"),
    (r"(?<=\d),(?=\d{3}\b)", ""),
]
ASKED = re.compile(
    r"\b(compute|calculate|calculator|what(?:'s| is)|how much|sum|add|evaluate)\b|计算|算|等于|多少|求", re.I
)
SPAN = re.compile(r"(?:sqrt|[\d.+\-*/%() ])+")
DATE = re.compile(r"\d{4}-\d\d?-\d\d?|\d+\.\d+\.\d+")
STRONG = re.compile(r"[*/+]|sqrt")
SAMPLE = "(1234 + 5678) * 9"


def expression(question: str) -> str | None:
    """The longest expression in the question, None when nothing is to be computed.

    >>> expression("What is 12 times (3 + 4)?"), expression("15% of 240"), expression("计算 9 的平方根")
    ('12 * (3 + 4)', '15/100*240', 'sqrt(9)')
    >>> expression("It was on 2024-05-06."), expression("Tell me 3 things")
    (None, None)
    """
    text = DATE.sub(" ", question)
    for pattern, written in WORDS:
        text = re.sub(pattern, written, text, flags=re.I)
    spans = [trimmed for span in SPAN.findall(text) if (trimmed := _trimmed(span))]
    asked = ASKED.search(question) is not None
    spans = [span for span in spans if asked or STRONG.search(span)]
    if spans:
        return max(spans, key=len)
    wants_any = re.search(r"\b(compute|calculate|calculator)\b|计算", question, re.I)
    return SAMPLE if wants_any else None


def _trimmed(span: str) -> str | None:
    """The span without what surrounds an expression, or None when it is not one."""
    text = re.sub(r" +", " ", span).strip(" .%*/+")
    for candidate in (text, text.rstrip("-( "), text.strip("()- ")):
        try:
            body = ast.parse(candidate, mode="eval").body
        except (SyntaxError, ValueError):
            continue
        if isinstance(body, ast.BinOp | ast.Call):
            return candidate
    return None
