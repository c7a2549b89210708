"""Model servers on this machine: Ollama, llama.cpp, LM Studio and vLLM on the ports they use by themselves.

Each is asked for its models with a short time limit and known by the shape of its answer: whatever else
listens on such a port (this app, for one) is never taken for it. STREAMRENDER_DISCOVER=0 switches it off;
STREAMRENDER_DISCOVER_PORTS=ollama=11434,llama.cpp=8080 names other ports, and only these servers then.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from chatsite.providers import client, openai_chat
from chatsite.providers.accounts import Account

SECONDS = 0.4
Found = list[dict[str, Any]]


@dataclass(frozen=True)
class Server:
    """`path` is asked, `read` makes models of its answer or gives None when it is no such server."""

    label: str
    port: int
    path: str
    read: Callable[[Any], Found | None]


def _ollama(answer: Any) -> Found | None:
    rows = answer["models"]
    if any("digest" not in row for row in rows):
        return None
    return [_model(row["name"]) for row in rows if "embed" not in row["name"]]


def _llama_cpp(answer: Any) -> Found | None:
    rows = answer["data"]
    if not rows or any(row.get("owned_by") != "llamacpp" for row in rows):
        return None
    # The id may be a path; the server takes any name.
    return [_model(row["id"], (row.get("meta") or {}).get("n_ctx_train")) for row in rows]


def _lm_studio(answer: Any) -> Found | None:
    rows = answer["data"]
    if any("compatibility_type" not in row for row in rows):
        return None
    return [
        _model(row["id"], row.get("loaded_context_length") or row.get("max_context_length"))
        for row in rows
        if row["type"] in ("llm", "vlm")
    ]


def _vllm(answer: Any) -> Found | None:
    rows = answer["data"]
    if not rows or any(row.get("owned_by") != "vllm" for row in rows):
        return None
    return [_model(row["id"], row.get("max_model_len")) for row in rows]


def _model(name: Any, window: Any = None) -> dict[str, Any]:
    return {"id": str(name), "label": str(name), "window": window if isinstance(window, int) else None}


SERVERS = {
    "ollama": Server("Ollama", 11434, "/api/tags", _ollama),
    "llama.cpp": Server("llama.cpp", 8080, "/v1/models", _llama_cpp),
    "lmstudio": Server("LM Studio", 1234, "/api/v0/models", _lm_studio),
    "vllm": Server("vLLM", 8000, "/v1/models", _vllm),
}


def accounts() -> list[Account]:
    """The servers that are looked for, whether there or not; none when switched off."""
    return [
        Account(
            key=key,
            name=SERVERS[key].label,
            provider=key,
            wire="openai-chat",
            base_url=f"http://127.0.0.1:{port}/v1",
            build=openai_chat.request,
        )
        for key, port in ports().items()
    ]


def ports() -> dict[str, int]:
    """The port of each server that is looked for."""
    if os.environ.get("STREAMRENDER_DISCOVER", "1").strip().lower() in ("0", "false", "no"):
        return {}
    given = os.environ.get("STREAMRENDER_DISCOVER_PORTS", "").strip()
    if not given:
        return {key: server.port for key, server in SERVERS.items()}
    pairs = (item.partition("=") for item in given.split(","))
    return {
        key.strip(): int(port) for key, _, port in pairs if key.strip() in SERVERS and port.strip().isdigit()
    }


async def find() -> dict[str, Found]:
    """The models of each server that answers as it should, all asked at once."""
    wanted = ports()
    answers = await asyncio.gather(*(_ask(SERVERS[key], port) for key, port in wanted.items()))
    return {key: found for key, found in zip(wanted, answers, strict=True) if found}


async def _ask(server: Server, port: int) -> Found | None:
    try:
        answer = await client.get_json(f"http://127.0.0.1:{port}{server.path}", {}, SECONDS)
        return server.read(answer)
    except (client.UpstreamError, KeyError, TypeError, AttributeError):
        return None
