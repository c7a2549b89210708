"""Images of an answer: a placeholder, and on a click the image itself where its host is allowed."""

import re

import pytest
from django.conf import settings
from playwright.sync_api import Route, expect

from tests.js.pages import live, page, text, turn
from tests.js.stage import CONVERSATION, Stage, snapshot

IMAGE = (
    '<p><a class="image" href="https://{host}/a.png" rel="noopener" target="_blank">'
    '<span class="image-alt">A cat</span> <span class="image-host">{host}</span></a></p>'
)


@pytest.fixture(autouse=True)
def allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The policy of a server that allows pics.example."""
    directives = settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]
    monkeypatch.setitem(directives, "img-src", [*directives["img-src"], "https://pics.example"])


def opened(stage: Stage, host: str, state: str = "done") -> list[str]:
    """A page with one image of this host, where pics.example is allowed; the requests that leave it."""
    asked: list[str] = []

    def serve(route: Route) -> None:
        asked.append(route.request.headers.get("referer", ""))
        route.fulfill(body='<svg xmlns="http://www.w3.org/2000/svg"/>', content_type="image/svg+xml")

    stage.page.context.route(re.compile("https://.*example/"), serve)
    stage.context["image_hosts"] = ("pics.example",)
    about = turn() if state == "done" else live()
    shown = page(about, text(IMAGE.format(host=host), state=state))
    stage.converse([snapshot(1, shown)]).open(f"/c/{CONVERSATION}/")
    stage.sent("hello")
    return asked


def test_an_allowed_host_loads_in_place_once_it_is_asked_for(stage: Stage) -> None:
    asked = opened(stage, "pics.example")
    assert asked == []
    stage.page.locator(".image").click()
    image = stage.page.locator(".image img")
    expect(image).to_have_attribute("alt", "A cat")
    assert image.get_attribute("referrerpolicy") == "no-referrer"
    assert len(stage.page.context.pages) == 1
    stage.until("document.querySelector('.image img').complete")
    assert asked == [""]


def test_any_other_host_opens_a_new_tab(stage: Stage) -> None:
    opened(stage, "other.example")
    with stage.page.context.expect_page() as tab:
        stage.page.locator(".image").click()
    tab.value.close()
    assert stage.page.locator(".image img").count() == 0


def test_an_answer_that_still_grows_is_left_alone(stage: Stage) -> None:
    opened(stage, "pics.example", state="live")
    with stage.page.context.expect_page() as tab:
        stage.page.locator(".image").click()
    tab.value.close()
    assert stage.page.locator(".image img").count() == 0
