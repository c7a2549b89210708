"""Tools of MCP servers through the whole app: a real server by mcp.json, another added in the admin."""

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.app import App, free_port
from tests.browser.chat import PATIENCE, Chat
from tests.browser.conftest import StartApp
from tests.browser.upstream import MODEL, Script, Upstream
from tests.browser.visitors import Visitors

SCRIPT = str(Path(__file__).parents[1] / "tools" / "mcp_server.py")


@pytest.fixture(scope="module")
def with_servers(
    start_app: StartApp, upstream: Upstream, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[App]:
    """The app with a server that works and one that cannot be started."""
    file = tmp_path_factory.mktemp("mcp") / "mcp.json"
    works = {"command": sys.executable, "args": [SCRIPT, "stdio"], "env": {"MARK": str(file)}}
    dead = {"command": "/nowhere/at/all"}
    file.write_text(json.dumps({"mcpServers": {"t": works, "dead": dead}}))
    app = start_app(ANTHROPIC_BASE_URL=upstream.url, ANTHROPIC_MODEL=MODEL, STREAMRENDER_MCP=str(file))
    yield app
    app.stop()
    end = time.monotonic() + 30
    while running(str(file)):
        assert time.monotonic() < end, "the server's process is left behind"
        time.sleep(0.1)


def running(mark: str) -> list[str]:
    """The processes of our server with this in their environment."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if f"MARK={mark}".encode() in (folder / "environ").read_bytes():
                found.append(folder.name)
        except OSError:
            continue
    return found


def called(upstream: Upstream, tool: str, input: str = "{}") -> str:
    """A question whose answer calls this tool."""
    call = Script().call("toolu_1", tool, input).end("tool_use")
    return upstream.add(call, Script().say("Done.").end())


@pytest.fixture
def talk(visitors: Visitors, with_servers: App) -> Chat:
    chat = visitors.visit(with_servers).open()
    there(chat, "t__add")
    there(chat, "t__add")
    return chat


def there(chat: Chat, tool: str) -> None:
    """Wait until the server that has this tool is connected: pages begin with that."""
    for _ in range(60):
        listed = chat.page.evaluate("fetch('/tools/').then((answer) => answer.json())")["tools"]
        if tool in {one["name"] for one in listed}:
            return
        chat.page.wait_for_timeout(500)
        chat.open()
    raise AssertionError(f"no {tool} came")


def test_read_only_tools_run_at_once_and_a_dead_server_is_named(talk: Chat, upstream: Upstream) -> None:
    talk.ask(called(upstream, "t__add", '{"a": 2, "b": 3}')).ended().says("Done.")
    expect(talk.tools).to_have_attribute("data-state", "done")
    expect(talk.tools.locator("[data-part=output]")).to_have_text("5")
    expect(talk.turn.locator("note-pane")).to_contain_text("does not answer: dead")
    assert "t__add" in {tool["name"] for tool in upstream.requests[-1]["tools"]}


def test_progress_comes_by_lines_and_stop_stops(talk: Chat, upstream: Upstream, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    talk.ask(called(upstream, "t__slow", json.dumps({"mark": str(mark)})))
    talk.tools.get_by_role("button", name="Allow", exact=True).click()
    expect(talk.tools).to_have_attribute("data-state", "running", timeout=PATIENCE)
    for _ in range(200):
        if "\nstep " in (talk.tools.locator("[data-part=progress]").text_content() or ""):
            break
        talk.page.wait_for_timeout(50)
    else:
        raise AssertionError("no second line of progress")
    talk.stop_button.click()
    talk.ended("stopped")
    expect(talk.tools).to_have_attribute("data-state", "stopped")
    for _ in range(200):
        if mark.exists():
            break
        talk.page.wait_for_timeout(50)
    assert mark.read_text() == "cancelled"


def test_a_picture_is_drawn_once_the_tool_is_always_allowed(talk: Chat, upstream: Upstream) -> None:
    talk.ask(called(upstream, "t__picture"))
    talk.tools.get_by_role("button", name="Always allow").click()
    talk.ended()
    expect(talk.tools.locator("img")).to_have_js_property("naturalWidth", 1)
    talk.page.reload()
    talk.connected()
    expect(talk.tools.locator("img")).to_have_js_property("naturalWidth", 1)
    talk.ask(called(upstream, "t__picture")).ended()
    expect(talk.tools.locator("img")).to_have_count(1)


def test_an_error_is_red_and_so_is_a_server_that_died(talk: Chat, upstream: Upstream) -> None:
    for tool, words in (("t__fail", "the disk is full"), ("t__die", "MCP server t")):
        talk.ask(called(upstream, tool))
        talk.tools.get_by_role("button", name="Allow", exact=True).click()
        talk.ended().says("Done.")
        expect(talk.tools).to_have_attribute("data-state", "failed")
        expect(talk.tools.locator("[data-part=output]")).to_contain_text(words)


def test_a_server_added_in_the_admin_works(talk: Chat, upstream: Upstream) -> None:
    port = free_port()
    process = subprocess.Popen([sys.executable, SCRIPT, "http", str(port)], stderr=subprocess.DEVNULL)
    try:
        while socket.socket().connect_ex(("127.0.0.1", port)):
            assert process.poll() is None
            time.sleep(0.1)
        talk.page.route("**/favicon.ico", lambda route: route.fulfill(status=204))
        talk.page.goto(f"{talk.base}/admin/tools/mcpserver/add/")
        talk.page.locator("#id_name").fill("far")
        talk.page.locator("#id_url").fill(f"http://127.0.0.1:{port}/mcp")
        talk.page.locator("[name=_save]").click()
        expect(talk.page.locator(".success")).to_be_visible()
        there(talk.open(), "far__add")
        talk.ask(called(upstream, "far__add", '{"a": 4, "b": 5}')).ended()
        expect(talk.tools.locator("[data-part=output]")).to_have_text("9")
    finally:
        process.kill()
        process.wait(20)
