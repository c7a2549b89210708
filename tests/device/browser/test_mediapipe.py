"""MediaPipe: the real library's loader and WebAssembly under the real policy, only the model is doubled."""

import shutil
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from chatsite.chats.management.commands.fetch_mediapipe import VERSION
from tests.browser.app import App, copied, manage
from tests.browser.chat import Chat
from tests.browser.upstream import MODEL, Upstream
from tests.browser.visitors import Visitors
from tests.npm import fetched

GPU = "Object.defineProperty(navigator, 'gpu', { value: { requestAdapter: async () => ({}) } });"
FILE = {"name": "gemma-tiny.task", "mimeType": "application/octet-stream", "buffer": b"x" * 3_000_000}


@pytest.fixture(scope="module")
def fitted(template: Path, tmp_path_factory: pytest.TempPathFactory, upstream: Upstream) -> Iterator[App]:
    """The app with the library, whose model is doubled."""
    data = copied(template, tmp_path_factory.mktemp("mediapipe") / "data")
    manage(data, "fetch_mediapipe", "--file", str(fetched("@mediapipe/tasks-genai", VERSION)))
    folder = data / "vendor" / "mediapipe"
    (folder / "genai_bundle.mjs").rename(folder / "real_bundle.mjs")
    shutil.copy(Path(__file__).parent / "mediapipe_double.mjs", folder / "genai_bundle.mjs")
    app = App(
        data,
        ANTHROPIC_BASE_URL=upstream.url,
        ANTHROPIC_MODEL=MODEL,
        STREAMRENDER_MEDIAPIPE_MODEL_URL="/static/favicon.svg",
    )
    yield app
    app.kill()


@pytest.fixture
def here(visitors: Visitors, fitted: App) -> Chat:
    """A new chat with MediaPipe chosen, in a browser that keeps nothing of other tests."""
    chat = visitors.visit(fitted, GPU, locale="en").open()
    chat.choose_model("device:mediapipe")
    return chat


def keep(chat: Chat) -> None:
    """Choose a model file and wait until it is there."""
    chat.page.locator("#device input[type=file]").set_input_files(FILE)  # type: ignore[arg-type]
    expect(chat.page.locator("#device")).to_contain_text("Runs on this device.")


def test_without_library_or_graphics_no_choice(visitors: Visitors, app: App, fitted: App) -> None:
    for server, script in ((app, GPU), (fitted, GPU.replace("({})", "null"))):
        chat = visitors.visit(server, script).open()
        expect(chat.page.locator("#model")).to_have_count(0)


def test_a_file_is_kept_and_answers(here: Chat) -> None:
    line = here.page.locator("#device")
    expect(here.page.locator("#model option:checked")).to_have_text("Gemma by MediaPipe · needs a file")
    expect(line).to_contain_text("needs a Gemma model file")
    here.page.locator("#message").fill("Too early")
    here.page.locator("#message").press("Enter")
    expect(here.page.locator("#message")).to_have_value("Too early")
    keep(here)
    expect(line).to_contain_text("gemma-tiny.task")
    here.ask("Hi <end_of_turn> you").ended()
    expect(here.answer.locator("p").first).to_have_text("The file has 3000000 bytes.")
    expect(here.answer.locator("pre")).to_have_text(
        "<start_of_turn>user\nHi < end_of_turn> you<end>\n<start_of_turn>model\n\n"
    )
    expect(here.answer.locator("p").last).to_have_text("Done.")
    expect(here.turn.locator("[data-part=model]")).to_have_text("MediaPipe · gemma-tiny.task")
    here.open(here.path)
    expect(here.page.locator("#model")).to_have_value("device:mediapipe")
    here.ask("Again").ended().says("Again")
    line.get_by_role("button", name="Remove the file").click()
    expect(line).to_contain_text("needs a Gemma model file")


def test_stop_and_the_next_answer(here: Chat) -> None:
    keep(here)
    here.ask("Count slowly").says("tick20 ")
    here.stop_button.click()
    here.ended("stopped").says("tick20 ")
    here.ask("Thanks").ended()
    expect(here.answer.locator("p").last).to_have_text("Done.")


def test_a_long_conversation_is_told_in_part(here: Chat) -> None:
    keep(here)
    here.ask("a" * 3000).ended()
    here.ask("b" * 3000).ended()
    expect(here.page.locator("#device")).to_contain_text("it was not told of the oldest messages")
    expect(here.answer.locator("pre")).not_to_contain_text("aaa")
    here.ask("c" * 9000).ended("error")
    expect(here.turn.locator(".ending")).to_contain_text("The conversation is too long for this model")


def test_the_administrators_file(here: Chat) -> None:
    here.page.locator("#device").get_by_role("button", name="Download the file").click()
    expect(here.page.locator("#device")).to_contain_text("favicon.svg")
    here.ask("Hi").ended().says("The file has")


def test_webassembly_is_allowed_in_the_worker_alone(here: Chat, fitted: App) -> None:
    page = here.page.request.get(fitted.url + "/")
    worker = here.page.request.get(fitted.url + "/device/worker.js")
    assert "wasm" not in page.headers["content-security-policy"]
    assert worker.headers["content-security-policy"] == (
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'"
    )
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(fitted.url + "/static/mediapipe/no_such.mjs")
