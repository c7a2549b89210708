"""Files in the composer: sent up, shown, taken out, sent with the message, kept with the draft."""

import json
from typing import Any

from playwright.sync_api import Locator, Route, expect

from tests.js.axe import violations
from tests.js.pages import page, text, turn
from tests.js.stage import CONVERSATION, ORIGIN, Stage, snapshot

PIXEL = (
    b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,"
    b"\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
)


class Files:
    """The server's side: `kept` by id, `asked` as "METHOD path"; `status` of the next uploads."""

    def __init__(self, stage: Stage) -> None:
        self.asked: list[str] = []
        self.status = 201
        self.code = "bad_type"
        self.count = 0
        stage.page.route(f"{ORIGIN}/attachments/**", self._serve)

    def _serve(self, route: Route) -> None:
        path = route.request.url.removeprefix(ORIGIN)
        self.asked.append(f"{route.request.method} {path}")
        if route.request.method == "GET":
            route.fulfill(body=PIXEL, content_type="image/gif")
        elif path.endswith("delete/"):
            route.fulfill(status=204)
        elif self.status != 201:
            route.fulfill(status=self.status, json={"code": self.code, "message": "no"})
        else:
            self.count += 1
            route.fulfill(status=201, json=about(self.count))


def about(number: int, kind: str = "image") -> dict[str, Any]:
    id_ = f"33333333-3333-4333-8333-{number:012d}"
    names = {"image": "a.gif", "text": "notes.txt"}
    about = {"id": id_, "kind": kind, "name": names[kind], "bytes": 2048, "media_type": "image/gif"}
    return {**about, "url": f"/attachments/{id_}/"}


def chosen(stage: Stage, *names: str) -> Locator:
    files = [{"name": name, "mimeType": "image/gif", "buffer": PIXEL} for name in names]
    stage.page.locator("#files").set_input_files(files)  # type: ignore[arg-type]
    return stage.page.locator(".attachment")


def test_files_go_up_and_out_with_the_message(stage: Stage) -> None:
    stage.open()
    files = Files(stage)
    stage.sent("hello")
    shown = chosen(stage, "one.gif", "two.gif")
    expect(shown).to_have_count(2)
    expect(shown.first.locator("img")).to_be_visible()
    assert violations(stage.page) == []
    shown.last.get_by_role("button").click()
    expect(shown).to_have_count(1)
    stage.page.locator("[data-part=send]").click()
    frame = stage.sent("submit")
    assert (frame["text"], frame["attachments"]) == ("", [about(1)["id"]])
    expect(shown).to_have_count(0)
    expect(stage.page.locator(".question-file img")).to_be_visible()
    assert files.asked.count(f"POST /attachments/{about(2)['id']}/delete/") == 1


def test_a_refused_file_says_why_and_goes_when_it_is_taken_out(stage: Stage) -> None:
    stage.open()
    files = Files(stage)
    files.status = 415
    shown = chosen(stage, "one.exe")
    expect(shown).to_contain_text("Only images, PDF and text files")
    expect(stage.page.locator("[data-part=send]")).to_be_disabled()
    files.status, files.code = 500, "?"
    expect(chosen(stage, "two.gif").last).to_contain_text("Not uploaded: take it out and try again")
    shown.first.get_by_role("button").click()
    expect(shown).to_have_count(1)
    stage.errors.clear()


def test_dropped_and_pasted_files_are_taken(stage: Stage) -> None:
    stage.open()
    Files(stage)
    make = "const data = new DataTransfer(); data.items.add(new File(['x'], 'x.gif', {type: 'image/gif'}));"
    stage.page.evaluate(
        f"{make} document.querySelector('.stage')"
        ".dispatchEvent(new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true}))"
    )
    expect(stage.page.locator(".attachment")).to_have_count(1)
    stage.page.evaluate(
        f"{make} document.getElementById('message')"
        ".dispatchEvent(new ClipboardEvent('paste', {clipboardData: data, cancelable: true}))"
    )
    expect(stage.page.locator(".attachment")).to_have_count(2)


def test_a_reload_keeps_them_and_a_refusal_gives_them_back(stage: Stage) -> None:
    stage.open()
    Files(stage)
    expect(chosen(stage, "one.gif").locator("img")).to_be_visible()
    stage.open()
    expect(stage.page.locator(".attachment img")).to_be_visible()
    stage.sent("hello")
    stage.page.fill("#message", "Look")
    stage.page.locator("[data-part=send]").click()
    stage.send({"type": "no", "id": stage.sent("submit")["id"], "code": "attachment", "message": "no"})
    expect(stage.page.locator("#refused")).to_contain_text("cannot read one of the attached files")
    expect(stage.page.locator(".attachment img")).to_be_visible()
    expect(stage.page.locator("#message")).to_have_value("Look")


def test_an_edited_message_keeps_its_files_and_the_draft_its_own(stage: Stage) -> None:
    frame = snapshot(1, page(turn(), text()), text="See")
    frame["user"]["attachments"] = [about(7, "text")]
    stage.converse([frame]).open(f"/c/{CONVERSATION}/")
    Files(stage)
    stage.sent("hello")
    expect(stage.page.locator(".question-file")).to_contain_text("notes.txt")
    chosen(stage, "draft.gif")
    expect(stage.page.locator(".attachment .attachment-name")).to_have_text("a.gif")
    stage.page.locator(".question").hover()
    stage.page.get_by_role("button", name="Edit the message").click()
    expect(stage.page.locator(".attachment .attachment-name")).to_have_text("notes.txt")
    stage.page.keyboard.press("Escape")
    expect(stage.page.locator(".attachment .attachment-name")).to_have_text("a.gif")
    stage.page.get_by_role("button", name="Edit the message").click()
    stage.page.keyboard.press("Enter")
    sent = stage.sent("submit")
    assert sent["attachments"] == [about(7, "text")["id"]]
    assert json.loads(json.dumps(sent))["text"] == "See"
