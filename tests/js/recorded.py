"""The server's side of the inspector, for a page without a server: one request of turn 1, three frames."""

from typing import Any

from playwright.sync_api import Route

from tests.js.stage import ORIGIN, Stage, turn_id

FIGURES = {"first": 420, "last": 3600, "gap": None, "rate": 31.2, "deltas": 94, "tokens": 95, "faults": {}}


def row(n: int, name: str = "content_block_delta", data: str = '{"delta":{"text":"hi"}}') -> dict[str, Any]:
    return {
        "n": n,
        "at": n * 10,
        "gap": 10,
        "size": 20,
        "kind": "event",
        "name": name,
        "data": data,
        "cut": False,
    }


class Recorded:
    """The server's side. `asked`: queries of frames; `fails`: nothing can be read; `status`: the turn's;
    `before`: another turn, with which this one goes on."""

    def __init__(self, stage: Stage) -> None:
        self.asked: list[str] = []
        self.paths: list[str] = []
        self.fails = False
        self.status = "ended"
        self.verdict = "ok"
        self.before: str | None = None
        stage.page.route(f"{ORIGIN}/inspect/**", self._serve)

    def _serve(self, route: Route) -> None:
        path, _, query = route.request.url.removeprefix(f"{ORIGIN}/inspect/{turn_id(1)}/").partition("?")
        self.paths.append(path)
        if self.fails:
            route.fulfill(status=500)
        elif not path:
            route.fulfill(json=self._turn())
        else:
            self.asked.append(query)
            on = "after=0" not in query
            rows = [row(3, "error", '{"error":{"type":"x"}}')] if on else [row(1), row(2, "<b>name</b>")]
            sent = {"request": "{}", "headers": {"request-id": "r"}}
            route.fulfill(json={**sent, "rows": rows, "total": 3, "next": None if on else 2})

    def _turn(self) -> dict[str, Any]:
        exchange = {
            "turn": turn_id(1),
            "number": 1,
            "wire": "anthropic",
            "url": "https://upstream.example/v1",
            "status": 200,
            "error": None,
            "started": 5,
            "bytes": 900,
            "kept": 900,
            "duration": 2100,
            "summary": {},
            "strip": [0, 3, 9],
        }
        earlier = [{**exchange, "turn": self.before}] if self.before else []
        about = {"id": turn_id(1), "model": "x", "provider": "x", "status": self.status, "ending": "complete"}
        return {
            "turn": about,
            "figures": {**FIGURES, "verdict": self.verdict},
            "exchanges": [*earlier, exchange],
        }
