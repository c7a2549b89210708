"""The real page in a real browser without a server: templates rendered here, files from `static/`, the socket
played by the test. Time and network are the test's, so nothing depends on luck."""

import json
import mimetypes
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from csp.constants import NONCE
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.template.loader import render_to_string
from django.test import RequestFactory, override_settings
from django.utils import translation
from django.views.i18n import JavaScriptCatalog
from playwright.sync_api import ConsoleMessage, Page, Route, WebSocketRoute

ORIGIN = "http://chat.localhost"
STATIC = Path(__file__).parents[2] / "static"
PLAIN_STORE = {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
CONVERSATION = "11111111-1111-4111-8111-111111111111"
MODELS = [
    {"key": "demo", "label": "demo-1", "provider": "demo", "demo": True},
    {"key": "other", "label": "other-2", "provider": "anthropic", "demo": False},
]


def turn_id(number: int) -> str:
    """The id of turn number `number` in these tests."""
    return f"22222222-2222-4222-8222-{number:012d}"


def snapshot(
    number: int, page: dict[str, Any], *, text: str = "Hello", parent: int | None = None, rev: int = 0
) -> dict[str, Any]:
    """A snapshot frame of turn `number` of the test's conversation."""
    return {
        "type": "snapshot",
        "conversation": CONVERSATION,
        "turn": turn_id(number),
        "epoch": f"{turn_id(number)}:1",
        "rev": rev,
        "parent": turn_id(parent) if parent else None,
        "user": {"text": text, "created": "2026-11-30T12:00:00+00:00"},
        "model": "demo-1",
        "page": page,
    }


class Stage:
    """One open page. `frames`: what it sent on the current socket; `errors`: all that the console said.
    `known`: prices and windows; `found`: what a search finds; `template`: of pages; `refusing`: no socket is
    accepted; `broken`: each POST and search fails."""

    def __init__(self, page: Page, language: str = "en") -> None:
        self.page = page
        self.language = language
        self.context: dict[str, Any] = {"conversations": [], "conversation": None, "models": MODELS[:1]}
        self.context["slash"] = {"prompts": [], "tools": []}
        self.turns: list[dict[str, Any]] = []
        self.known: dict[str, Any] = {}
        self.socket: WebSocketRoute | None = None
        self.template = "chats/chat.html"
        self.found: list[dict[str, Any]] = []
        self.refusing = False
        self.broken = False
        self.frames: list[dict[str, Any]] = []
        self.errors: list[str] = []
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.route(f"{ORIGIN}/**", self._serve)
        page.route_web_socket(lambda url: url.endswith("/ws/"), self._connect)

    def converse(self, turns: Iterable[dict[str, Any]], title: str = "A conversation") -> "Stage":
        """Let the page be that of a conversation with these turns."""
        about = {"id": CONVERSATION, "title": title, "model": "demo", "active": True}
        self.turns = list(turns)
        listed = {**about, "updated": datetime.now(UTC)}
        self.context |= {"conversation": about, "conversations": [listed]}
        return self

    def open(self, path: str = "/") -> "Stage":
        self.page.goto(ORIGIN + path)
        return self

    def send(self, *frames: dict[str, Any]) -> None:
        """Frames from the server."""
        assert self.socket is not None
        for frame in frames:
            self.socket.send(json.dumps(frame))

    def sent(self, kind: str) -> dict[str, Any]:
        """Wait for a frame of this type from the page, and give the last one."""
        for _ in range(100):
            found = [frame for frame in self.frames if frame["type"] == kind]
            if found:
                return found[-1]
            self.page.wait_for_timeout(20)
        raise AssertionError(f"the page sent no {kind}: {self.frames}")

    def ok(self, frame: dict[str, Any], number: int, duplicate: bool = False) -> None:
        """Accept a submit as turn `number`."""
        ids = {"id": frame["id"], "conversation": CONVERSATION, "turn": turn_id(number)}
        self.send({"type": "ok", **ids, "duplicate": duplicate})

    def until(self, condition: str) -> None:
        """Wait until a JavaScript expression is true (the page's policy forbids Playwright's own way)."""
        for _ in range(250):
            if self.page.evaluate(condition):
                return
            self.page.wait_for_timeout(20)
        raise AssertionError(f"never came true: {condition}")

    def _said(self, message: ConsoleMessage) -> None:
        # There is no server here that a service worker could come from: conftest.py blocks it.
        if message.type in ("error", "warning") and "registration blocked by Playwright" not in message.text:
            self.errors.append(message.text)

    def _connect(self, socket: WebSocketRoute) -> None:
        if self.refusing:
            socket.close(code=4000)
            return
        self.socket, self.frames = socket, []
        socket.on_message(lambda text: self._heard(socket, json.loads(text)))

    def _heard(self, socket: WebSocketRoute, frame: dict[str, Any]) -> None:
        self.frames.append(frame)
        if frame["type"] == "ping":
            socket.send(json.dumps({"type": "pong", "n": frame["n"]}))
        if frame["type"] == "hello":
            socket.send(json.dumps({"type": "welcome", "v": 1, "heartbeat": 15, "process": "test"}))

    def _serve(self, route: Route) -> None:
        path = route.request.url.removeprefix(ORIGIN).partition("?")[0]
        if path.startswith("/static/"):
            file = STATIC / path.removeprefix("/static/")
            if not file.is_file():
                route.fulfill(status=404)
                return
            kind = mimetypes.guess_type(file.name)[0] or "text/plain"
            route.fulfill(body=file.read_bytes(), content_type=kind)
        elif path.startswith("/jsi18n/"):
            route.fulfill(body=catalog(self.language), content_type="text/javascript")
        elif path == "/search/":
            route.fulfill(json={"found": self.found}, status=500 if self.broken else 200)
        elif path.endswith("/tools/"):
            route.fulfill(json={"tools": self.context["slash"]["tools"]})
        elif path == "/import/":
            known = b"streamrender-conversation" in (route.request.post_data_buffer or b"")
            route.fulfill(json={"path": f"/c/{CONVERSATION}/"}, status=200 if known else 400)
        elif path.endswith("/share/"):
            route.fulfill(json={"path": "/s/token/"}, status=500 if self.broken else 200)
        elif path.startswith("/s/"):
            with rendering(self.language):
                context = {"share": {"title": "Shared", "taken": datetime.now(UTC)}, "turns": self.turns}
                body = render_to_string("chats/shared.html", context, request(path))
            route.fulfill(body=body, content_type="text/html", headers={"Content-Security-Policy": policy()})
        elif path == "/permissions/":
            route.fulfill(json={"permissions": []})
        elif route.request.method == "POST":
            route.fulfill(status=500 if self.broken else 204)
        else:
            body = self.html(path, route.request.all_headers().get("cookie", ""))
            route.fulfill(body=body, content_type="text/html", headers={"Content-Security-Policy": policy()})

    def html(self, path: str, cookies: str = "") -> str:
        """The page as the server renders it."""
        about = self.context["conversation"]
        data = {"conversation": about, "turns": self.turns, **self.known}
        context = {**self.context, "turns": data, "turns_json": json.dumps(data)}
        with rendering(self.language):
            return render_to_string(self.template, context, request(path, cookies))


def request(path: str = "/", cookies: str = "") -> Any:
    made = RequestFactory().get(path, HTTP_COOKIE=cookies)
    made.user = AnonymousUser()
    made.csp_nonce = "test"  # type: ignore[attr-defined]
    return made


@contextmanager
def rendering(language: str) -> Iterator[None]:
    """Templates in this language, with the plain names of static files."""
    with override_settings(STORAGES={**settings.STORAGES, **PLAIN_STORE}), translation.override(language):
        yield


def catalog(language: str) -> bytes:
    """The words that JavaScript uses."""
    with translation.override(language):
        view = JavaScriptCatalog.as_view(packages=None, domain="djangojs")
        return view(RequestFactory().get("/jsi18n/")).content


def policy() -> str:
    """The content security policy of the settings."""
    rules = {
        **settings.CONTENT_SECURITY_POLICY["DIRECTIVES"],
        "connect-src": ["'self'", "ws://chat.localhost"],
    }
    named = lambda item: "'nonce-test'" if item is NONCE else str(item)  # noqa: E731
    return "; ".join(" ".join([name, *map(named, items)]) for name, items in rules.items())
