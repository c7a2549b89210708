"""The rest of the page: list of conversations, settings, keyboard, copying, announcements."""

import re
from datetime import UTC, datetime, timedelta

from playwright.sync_api import Route, expect

from tests.js.pages import changes, live, page, text, thinking, turn
from tests.js.stage import CONVERSATION, ORIGIN, Stage, snapshot

CODE = '<p>See</p><pre><code class="language-python">print(1)\n</code></pre><p>End</p>'


def listed(stage: Stage) -> Stage:
    now = datetime.now(UTC)
    days = timedelta(days=1)
    rows = [("a", "New", now), ("b", "Old", now - 3 * days), ("c", "Older", now - 90 * days)]
    stage.context["conversations"] = [
        {"id": id_, "title": title, "updated": at, "active": False} for id_, title, at in rows
    ]
    return stage


def test_conversations_are_grouped_by_date(stage: Stage) -> None:
    listed(stage).open()
    headings = stage.page.locator(".conversations-date").all_inner_texts()
    assert headings[:2] == ["Today", "Last seven days"]
    assert len(headings) == 3


def choose(stage: Stage, row: str, action: str) -> None:
    """Pick from the menu of a conversation."""
    stage.page.locator(f".conversation[data-id={row}]").hover()
    stage.page.locator(f".conversation[data-id={row}] [data-action=more]").click()
    stage.page.get_by_role("menuitem", name=action, exact=True).click()


def rows(stage: Stage, list_: str = "conversations") -> list[str]:
    return stage.page.locator(f"#{list_} .conversation-title").all_inner_texts()


def test_rename(stage: Stage) -> None:
    listed(stage).open()
    choose(stage, "a", "Rename")
    stage.page.locator("#rename-dialog input[name=title]").fill("Another name")
    stage.page.locator("#rename-dialog").get_by_role("button", name="Rename").click()
    expect(stage.page.locator(".conversation[data-id=a] a")).to_have_text("Another name")


def test_delete_can_be_undone(stage: Stage) -> None:
    listed(stage).open()
    choose(stage, "b", "Delete")
    expect(stage.page.locator(".conversation[data-id=b]")).to_have_count(0)
    expect(stage.page.get_by_role("status").filter(has_text="was deleted")).to_be_visible()
    stage.page.get_by_role("button", name="Undo").click()
    expect(stage.page.locator(".conversation[data-id=b]")).to_have_count(1)
    assert rows(stage) == ["New", "Old", "Older"]


def test_deleting_what_is_shown_can_be_undone_on_the_next_page(stage: Stage) -> None:
    stage.converse([snapshot(1, page(turn(), text()))]).open(f"/c/{CONVERSATION}/")
    choose(stage, f"'{CONVERSATION}'", "Delete")
    stage.page.wait_for_url(f"{ORIGIN}/")
    stage.page.get_by_role("button", name="Undo").click()
    stage.page.wait_for_url(f"**/c/{CONVERSATION}/")


def test_back_does_not_lead_to_what_was_deleted(stage: Stage) -> None:
    stage.converse([snapshot(1, page(turn(), text()))]).open("/c/before/")
    stage.open(f"/c/{CONVERSATION}/")
    choose(stage, f"'{CONVERSATION}'", "Delete")
    stage.page.wait_for_url(f"{ORIGIN}/")
    stage.page.go_back()
    stage.page.wait_for_url("**/c/before/")


def test_a_failed_deletion_is_said_and_can_be_tried_again(stage: Stage) -> None:
    listed(stage).open()
    stage.broken = True
    choose(stage, "a", "Delete")
    expect(stage.page.locator("#toast")).to_contain_text("did not do it")
    expect(stage.page.get_by_role("button", name="Undo")).not_to_be_visible()
    stage.broken = False
    choose(stage, "a", "Delete")
    expect(stage.page.locator(".conversation[data-id=a]")).to_have_count(0)
    stage.errors.clear()


def test_pinned_ones_come_first_and_the_archive_is_a_list_of_its_own(stage: Stage) -> None:
    listed(stage).open()
    expect(stage.page.locator("#archive")).not_to_be_visible()
    choose(stage, "c", "Pin")
    expect(stage.page.locator(".conversations-date").first).to_have_text("Pinned")
    assert rows(stage) == ["Older", "New", "Old"]
    choose(stage, "a", "Move to the archive")
    stage.page.locator("#archive summary").click()
    assert rows(stage) == ["Older", "Old"]
    assert rows(stage, "archived") == ["New"]
    choose(stage, "a", "Take out of the archive")
    choose(stage, "c", "Unpin")
    expect(stage.page.locator(".conversations-date").first).to_have_text("Today")
    assert rows(stage) == ["New", "Old", "Older"]


def test_other_tabs_follow_at_once(stage: Stage) -> None:
    listed(stage).open()
    other = listed(Stage(stage.page.context.new_page())).open()
    choose(stage, "c", "Pin")
    expect(other.page.locator(".conversations-date").first).to_have_text("Pinned")
    assert rows(other) == ["Older", "New", "Old"]
    choose(stage, "a", "Move to the archive")
    expect(other.page.locator("#conversations .conversation")).to_have_count(2)
    choose(stage, "c", "Delete")
    expect(other.page.locator(".conversation[data-id=c]")).to_have_count(0)
    stage.page.get_by_role("button", name="Undo").click()
    expect(other.page.locator(".conversations-date").first).to_have_text("Pinned")
    assert rows(other) == ["Older", "Old"]
    stage.page.locator("#settings summary").click()
    stage.page.get_by_label("Dark").check()
    expect(other.page.locator("html")).to_have_attribute("data-theme", "dark")
    assert other.errors == []


def shelf(action: str, id: str, **fields: object) -> dict[str, object]:
    about = {"title": "Told", "updated": "2026-01-01T00:00:00+00:00", "pinned": False, "archived": False}
    return {"type": "shelf", "conversation": id, "action": action, **about, **fields}


def test_other_browsers_follow_by_the_socket(stage: Stage) -> None:
    listed(stage).open()
    stage.sent("hello")
    stage.send(shelf("pin", "c", pinned=True))
    expect(stage.page.locator(".conversations-date").first).to_have_text("Pinned")
    stage.send(shelf("archive", "a", archived=True), shelf("delete", "c"))
    expect(stage.page.locator("#conversations .conversation")).to_have_count(1)
    stage.send(shelf("restore", "c", pinned=True))
    expect(stage.page.locator(".conversation[data-id=c]")).to_contain_text("Told")
    expect(stage.page.locator(".conversations-date").first).to_have_text("Pinned")
    # Told of what it did itself, before the response or after it, a page changes nothing more.
    choose(stage, "c", "Delete")
    stage.send(shelf("delete", "c"))
    expect(stage.page.locator(".conversation[data-id=c]")).to_have_count(0)

    def restored(route: Route) -> None:
        stage.send(shelf("restore", "c"))
        route.fulfill(status=204)

    stage.page.route("**/restore/", restored)
    stage.page.get_by_role("button", name="Undo").click()
    expect(stage.page.locator("#toast [data-part=body]")).to_be_hidden()
    stage.until("document.querySelectorAll('.conversation[data-id=c]').length === 1")


def test_a_page_says_that_its_conversation_was_deleted_elsewhere(stage: Stage) -> None:
    stage.converse([snapshot(1, page(turn(), text()))]).open(f"/c/{CONVERSATION}/")
    stage.sent("hello")
    stage.send(shelf("delete", CONVERSATION))
    expect(stage.page.locator("#connection")).to_contain_text("This conversation is gone.")
    stage.send(shelf("restore", CONVERSATION))
    expect(stage.page.locator("#connection")).to_be_hidden()


def test_what_the_user_wrote_keeps_its_lines(stage: Stage) -> None:
    stage.converse([snapshot(1, page(turn(), text()), text="1\n2\n\n  3")]).open()
    assert stage.page.locator(".question-text").inner_text() == "1\n2\n\n  3"
    height = "document.querySelector('.question-text').getBoundingClientRect().height"
    assert stage.page.evaluate(height) > 4 * 20


def test_the_menu_of_a_conversation_works_by_keyboard(stage: Stage) -> None:
    listed(stage).open()
    keys = stage.page.keyboard
    button = stage.page.locator(".conversation[data-id=a] [data-action=more]")
    button.focus()
    keys.press("Enter")
    expect(stage.page.get_by_role("menuitem", name="Rename")).to_be_focused()
    keys.press("ArrowUp")
    expect(stage.page.get_by_role("menuitem", name="Delete")).to_be_focused()
    keys.press("Escape")
    expect(button).to_be_focused()
    expect(button).to_have_attribute("aria-expanded", "false")


def test_a_conversation_of_another_tab_joins_the_list(stage: Stage) -> None:
    listed(stage).open()
    stage.sent("hello")
    stage.send({"type": "title", "conversation": "d", "title": "From another tab"})
    expect(stage.page.locator(".conversation").first).to_contain_text("From another tab")
    expect(stage.page.locator(".conversation")).to_have_count(4)


def test_the_theme_is_chosen_and_known_to_the_server(stage: Stage) -> None:
    stage.open()
    stage.page.locator("#settings summary").click()
    stage.page.get_by_label("Dark").check()
    dark = stage.page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    stage.page.reload()
    assert stage.page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert stage.page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == dark


def test_the_list_is_a_drawer_on_a_narrow_page(stage: Stage) -> None:
    stage.page.set_viewport_size({"width": 400, "height": 700})
    listed(stage).open()
    side = stage.page.locator("#sidebar")
    expect(side).not_to_be_visible()
    stage.page.locator(".topbar [data-action=sidebar]").click()
    expect(side).to_be_visible()
    stage.page.keyboard.press("Escape")
    expect(side).not_to_be_visible()
    expect(stage.page.locator(".topbar [data-action=sidebar]")).to_be_focused()


def test_the_list_folds_away_on_a_wide_page_and_stays_so(stage: Stage) -> None:
    listed(stage).open()
    stage.page.locator(".topbar [data-action=sidebar]").click()
    expect(stage.page.locator("#sidebar")).not_to_be_visible()
    stage.page.reload()
    expect(stage.page.locator("#sidebar")).not_to_be_visible()


def test_question_mark_opens_the_sheet_of_shortcuts(stage: Stage) -> None:
    stage.open()
    stage.page.locator("#thread").click(position={"x": 5, "y": 5})
    stage.page.keyboard.press("?")
    expect(stage.page.locator("#shortcuts-dialog")).to_be_visible()
    stage.page.keyboard.press("Escape")
    expect(stage.page.locator("#shortcuts-dialog")).not_to_be_visible()
    stage.page.keyboard.press("/")
    expect(stage.page.locator("#message")).to_be_focused()


def test_code_and_answers_are_copied_as_they_are(stage: Stage) -> None:
    pane = text(CODE, markdown="See\n```python\nprint(1)\n```\nEnd\n")
    stage.converse([snapshot(1, page(turn(), pane))]).open()
    bar = stage.page.locator(".code-tool")
    expect(bar).to_contain_text("python")
    bar.get_by_role("button").click()
    expect(bar.get_by_role("button")).to_contain_text("Copied")
    assert stage.page.evaluate("navigator.clipboard.readText()") == "print(1)\n"
    stage.page.get_by_role("button", name="Copy the answer as Markdown").click()
    assert stage.page.evaluate("navigator.clipboard.readText()") == "See\n```python\nprint(1)\n```\nEnd"


def test_an_answer_is_copied_with_its_numbered_sources(stage: Stage) -> None:
    sources = [
        {"url": "https://a.example/x", "title": "A [title]", "quote": "It is\nso."},
        {"url": None, "title": "", "quote": "From a *document*"},
        {"url": "https://b.example/a b", "title": "Spaced", "quote": ""},
        {"url": "javascript:alert(1)", "title": "Evil", "quote": ""},
    ]
    stage.converse([snapshot(1, page(turn(), text(citations=sources), text(id="1.2")))]).open()
    shown = stage.page.locator(".source")
    expect(shown).to_have_count(4)
    expect(shown.first).to_contain_text("A [title] a.example")
    expect(shown.last.locator("a")).not_to_have_attribute("href", re.compile(""))
    stage.page.get_by_role("button", name="Copy the answer as Markdown").click()
    assert stage.page.evaluate("navigator.clipboard.readText()") == (
        "Hello\n\n"
        "1. [A \\[title\\]](<https://a.example/x>): It is so.\n"
        "2. From a \\*document\\*\n"
        "3. Spaced\n"
        "4. Evil\n\n"
        "Hello"
    )


def test_the_bar_of_a_code_block_lies_on_it_and_outside_the_text(stage: Stage) -> None:
    stage.converse([snapshot(1, page(live(), text(CODE, state="live")), rev=0)]).open()
    stage.sent("hello")
    stage.send(changes(0, 1, ["ops", "1.1", [["s", [], 0, 1, "<p>See</p><p>A line more</p>"]]]))
    stage.until(
        "Math.abs(document.querySelector('pre').getBoundingClientRect().top"
        " - document.querySelector('.code-tool').getBoundingClientRect().top) < 1"
    )
    assert stage.page.locator("text-pane .prose .code-tool, text-pane .prose button").count() == 0


TABLE = (
    "<table><thead><tr><th>a</th><th>b</th></tr></thead>"
    "<tbody><tr><td>1</td><td><code>x\ty</code></td></tr><tr><td></td><td>2</td></tr></tbody></table>"
)


def test_a_table_is_copied_for_a_spreadsheet_and_its_button_covers_no_cell(stage: Stage) -> None:
    stage.converse([snapshot(1, page(live(), text("<p>See</p>" + TABLE, state="live")), rev=0)]).open()
    stage.page.locator("text-pane").hover()
    button = stage.page.get_by_role("button", name="Copy the table")
    button.click()
    expect(button.or_(stage.page.get_by_role("button", name="Copied"))).to_have_text("Copied")
    assert stage.page.evaluate("navigator.clipboard.readText()") == "a\tb\n1\tx y\n\t2"
    low = "document.querySelector('.table-tool button').getBoundingClientRect()"
    row = "document.querySelector('tbody tr:last-child').getBoundingClientRect()"
    foot = "document.querySelector('table').getBoundingClientRect()"
    assert stage.page.evaluate(f"{low}.top >= {row}.bottom - 1 && {low}.bottom <= {foot}.bottom + 1")


def test_start_and_end_are_announced_and_tokens_are_not(stage: Stage) -> None:
    stage.converse([snapshot(1, page(live("waiting")), rev=0)]).open()
    stage.sent("hello")
    region = stage.page.locator("#announcer")
    answer = stage.page.locator(".answer")
    expect(answer).to_have_attribute("aria-busy", "true")
    stage.send(changes(0, 1, ["pane", text(state="live")], ["turn", {"state": "answering"}]))
    expect(region).to_have_text("Answering")
    stage.send(changes(1, 2, ["ops", "1.1", [["t", 1, " and more"]]]))
    expect(stage.page.locator("text-pane")).to_have_text("Hello and more")
    expect(region).to_have_text("Answering")
    stage.send(changes(2, 3, ["turn", {"state": "ended", "ending": "cut_off", "ended_at": 9000}]))
    expect(region).to_have_text("Cut off: the upstream closed without an end.")
    expect(answer).to_have_attribute("aria-busy", "false")
    assert stage.page.locator("[aria-live] chat-turn, chat-turn [aria-live]").count() == 0


def test_a_frame_keeps_what_is_selected(stage: Stage) -> None:
    pane = text("<p>Keep this</p><p>Tail</p>", state="live")
    stage.converse([snapshot(1, page(live(), pane), rev=0)]).open()
    stage.sent("hello")
    stage.page.evaluate("getSelection().selectAllChildren(document.querySelector('text-pane p'))")
    stage.send(changes(0, 1, ["ops", "1.1", [["t", 1, " grows"]]]))
    expect(stage.page.locator("text-pane .prose p").last).to_have_text("Tail grows")
    assert stage.page.evaluate("getSelection().toString()") == "Keep this"


def test_a_whole_snapshot_keeps_what_is_selected_too(stage: Stage) -> None:
    pane = text("<p>Keep this</p><p>Tail</p>", state="live")
    stage.converse([snapshot(1, page(live(), pane), rev=0)]).open()
    stage.sent("hello")
    stage.page.evaluate("getSelection().selectAllChildren(document.querySelector('text-pane p'))")
    later = text("<p>Keep this</p><p>Tail that grew</p><p>New</p>", state="live")
    stage.send(snapshot(1, page(live(), later), rev=9))
    expect(stage.page.locator("text-pane .prose p")).to_have_count(3)
    assert stage.page.evaluate("getSelection().toString()") == "Keep this"


def test_no_element_has_a_style_attribute_from_a_template_and_every_button_a_name(stage: Stage) -> None:
    listed(stage).converse([snapshot(1, page(turn(ending="stopped"), text()))]).open()
    nameless = "(e) => !(e.ariaLabel || e.textContent.trim())"
    assert not stage.page.evaluate(f"[...document.querySelectorAll('button, a')].filter({nameless}).length")
    assert " style=" not in stage.html("/")
    assert stage.page.evaluate("location.origin") == ORIGIN
    assert CONVERSATION in stage.page.content()


def test_a_saved_conversation_is_imported_and_another_file_is_refused(stage: Stage) -> None:
    stage.open()
    stage.page.locator("#settings summary").click()
    files = stage.page.get_by_label("Import a saved conversation")
    files.set_input_files({"name": "x.json", "mimeType": "application/json", "buffer": b"{}"})
    expect(stage.page.locator("#toast")).to_contain_text("no conversation that was saved here")
    saved = b'{"format": "streamrender-conversation"}'
    files.set_input_files({"name": "x.json", "mimeType": "application/json", "buffer": saved})
    stage.page.wait_for_url(f"**/c/{CONVERSATION}/")
    stage.errors.clear()


def test_says_why_a_text_is_not_shown_whole(stage: Stage) -> None:
    stage.converse([snapshot(1, page(live(), thinking(), text(state="live", caps=[])), rev=3)]).open()
    stage.sent("hello")
    notes = stage.page.locator(".caps .note")
    expect(stage.page.locator("text-pane")).to_be_visible()
    expect(notes).to_have_count(0)
    stage.send(changes(3, 5, ["set", "1.1", {"caps": ["depth"]}]))
    expect(stage.page.locator("text-pane .note:visible")).to_have_text(
        "Some of this is nested too deeply to lay out and shows as it was written."
    )
    stage.send(changes(5, 6, ["set", "1.1", {"caps": ["depth", "size"]}], ["set", "1.0", {"caps": ["size"]}]))
    expect(stage.page.locator("text-pane .note:visible")).to_have_count(2)
    stage.page.locator("thinking-pane summary").click()
    expect(stage.page.locator("thinking-pane .note:visible")).to_contain_text("too long to show whole")


def test_only_code_that_is_near_has_a_bar_and_buttons_stand_in_the_order_of_their_blocks(
    stage: Stage,
) -> None:
    code = "x\n" * 12
    blocks = "".join(f'<pre><code class="language-l{n}">{code}</code></pre>' for n in range(60))
    stage.converse([snapshot(1, page(turn(), text(blocks)))]).open()
    bars = stage.page.locator(".code-tool")
    expect(stage.page.locator(".code-language", has_text="l59")).to_be_attached()
    assert 1 < bars.count() < 20
    stage.page.evaluate("document.querySelector('#thread').scrollTop = 0")
    expect(stage.page.locator(".code-language").first).to_have_text("l0")
    expect(stage.page.locator(".code-language", has_text="l59")).not_to_be_attached()
    for step in (2000, 1500, 600):
        stage.page.evaluate(f"document.querySelector('#thread').scrollTop = {step}")
        stage.page.wait_for_timeout(100)
        names = stage.page.locator(".code-language").all_inner_texts()
        assert names == sorted(names, key=lambda name: int(name[1:]))
