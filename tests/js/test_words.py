"""Every word of the page exists in every language, and is taken from the catalogue."""

import re
import subprocess
from pathlib import Path

import polib
import pytest
from playwright.sync_api import expect

from tests.js.pages import page, text, thinking, turn
from tests.js.stage import Stage, snapshot

ROOT = Path(__file__).parents[2]
LOCALE = ROOT / "chatsite" / "locale"
DOMAINS = ["django", "djangojs"]
TRANSLATE = re.compile(r"""{%\s*translate\s+(?:"([^"]+)"|'([^']+)')(?:\s+context\s+"([^"]+)")?""")
BLOCK = re.compile(r"{%\s*blocktranslate\b[^%]*%}(.*?){%\s*endblocktranslate\s*%}", re.S)
VALUE = re.compile(r"{{ (\w+) }}")
GETTEXT = re.compile(r'\bgettext\("([^"]+)"\)')


def used(domain: str) -> set[tuple[str | None, str]]:
    """(context, words) of each string that the sources mark for translation."""
    found: set[tuple[str | None, str]] = set()
    if domain == "django":
        for file in (ROOT / "templates").rglob("*.html"):
            source = file.read_text()
            found |= {(context or None, a or b) for a, b, context in TRANSLATE.findall(source)}
            found |= {(None, VALUE.sub(r"%(\1)s", words)) for words in BLOCK.findall(source)}
    else:
        for file in (ROOT / "static" / "js").rglob("*.js"):
            found |= {(None, words) for words in GETTEXT.findall(file.read_text())}
    return found


@pytest.mark.parametrize("domain", DOMAINS)
def test_each_string_is_in_the_catalogue_and_translated(domain: str) -> None:
    catalogue = polib.pofile(LOCALE / "zh_Hans" / "LC_MESSAGES" / f"{domain}.po")
    entries = {(entry.msgctxt, entry.msgid): entry for entry in catalogue if not entry.obsolete}
    assert used(domain) <= set(entries)
    untranslated = [key for key, entry in entries.items() if not entry.translated()]
    assert untranslated == []


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("language", ["en", "zh_Hans"])
def test_the_compiled_catalogue_is_up_to_date(domain: str, language: str) -> None:
    base = LOCALE / language / "LC_MESSAGES" / domain
    source = {(e.msgctxt, e.msgid): e.msgstr for e in polib.pofile(f"{base}.po") if e.msgstr}
    assert {(e.msgctxt, e.msgid): e.msgstr for e in polib.mofile(f"{base}.mo") if e.msgid} == source


def test_no_words_stand_in_templates_outside_the_catalogue() -> None:
    """Letters between tags that no tag translates, apart from names that are the same everywhere."""
    names = {
        "Streamrender",
        "Enter",
        "Shift",
        "Ctrl",
        "Esc",
        "O",
        "K",
        "Q",
        "I",
        "Ctrl K",
        "Ctrl Enter",
        "End",
    }
    for file in (ROOT / "templates").rglob("*.html"):
        source = re.sub(r"<(script|style)\b.*?</\1>", "", BLOCK.sub("", file.read_text()), flags=re.S)
        plain = re.sub(r"{%.*?%}|{{.*?}}|{#.*?#}|<[^>]*>", "\n", source)
        words = {line.strip() for line in plain.splitlines() if re.search(r"[A-Za-z]", line)}
        assert words <= names | {"manage.py entry_token", "· Streamrender"}, file


def test_a_chinese_page_has_no_english_words(stage: Stage) -> None:
    stage.language = "zh-hans"
    answer = page(turn(ending="stopped", model="模型"), thinking(), text("<p>你好</p>"))
    stage.converse([snapshot(1, answer, text="你好")], "对话")
    stage.context["models"] = [{"key": "m", "label": "模型", "provider": "p", "demo": True}]
    stage.context["demo"] = True
    stage.open()
    expect(stage.page.locator(".ending")).to_contain_text("你停止了回答。")
    shown = stage.page.evaluate("document.body.innerText")
    named = "[...document.querySelectorAll('[aria-label], [title]')]"
    titles = stage.page.evaluate(f"{named}.map((e) => e.ariaLabel + e.title)")
    words = set(re.findall(r"[A-Za-z]{2,}", shown + " ".join(titles)))
    assert words <= {"Streamrender", "Markdown", "token", "Enter", "Shift", "Ctrl", "API", "null", "English"}


def test_pure_modules() -> None:
    """The tests that run in Node alone."""
    tests = sorted(str(file) for file in Path(__file__).parent.glob("*.test.mjs"))
    done = subprocess.run(["node", "--test", *tests], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout
