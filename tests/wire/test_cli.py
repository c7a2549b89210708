"""The command line: its output, its exit status, on made and on recorded streams."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from streamrender.summary import lines, summarize
from streamrender.wire.detect import detect
from tests.corpus import ROOT
from tests.wire.support import (
    DONE,
    block,
    chat,
    delta,
    end,
    fold,
    gemini,
    read,
    recorded,
    run,
    sse,
    start,
    stop,
    text_of,
    wire_of,
)

WHOLE = sse(start(), block(0), delta(0, "北京"), stop(0), end(), DONE)
ERROR = sse(
    start(), block(0), delta(0, "part"), {"type": "error", "error": {"type": "api_error", "message": "m"}}
)


def cli(*arguments: str, data: bytes = b"") -> tuple[int, str, str]:
    command = [sys.executable, "-m", "streamrender", *arguments]
    done = subprocess.run(command, input=data, capture_output=True, cwd=ROOT, timeout=60)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_events_one_a_line_however_they_are_fed(tmp_path: Path) -> None:
    file = tmp_path / "x.sse"
    file.write_bytes(WHOLE)
    outputs = {
        cli("events", "--wire", "anthropic", str(file)),
        cli("events", "--chunk", "1", str(file)),
        cli("events", "--chunk", "7", "-", data=WHOLE),
        cli("events", data=WHOLE),
    }
    ((status, out, err),) = outputs
    assert (status, err) == (0, "")
    assert [json.loads(line) for line in out.splitlines()] == run("anthropic", WHOLE)


def test_assemble_prints_the_message() -> None:
    status, out, _ = cli("assemble", "--wire", "glm", data=WHOLE)
    assert (status, json.loads(out)) == (0, fold(run("glm", WHOLE)))
    assert "北京" in out


@pytest.mark.parametrize("command", ["events", "assemble", "summary"])
def test_partial_streams_are_printed_with_status_3(command: str) -> None:
    for data in (ERROR, WHOLE[:-60], b""):
        status, out, _ = cli(command, "--wire", "anthropic", data=data)
        assert (status, bool(out)) == (3, True)
    assert text_of(json.loads(cli("assemble", data=ERROR)[1])) == "part"


@pytest.mark.parametrize(
    ("arguments", "data"),
    [
        (["assemble"], b"hello world"),
        (["assemble"], b""),
        (["assemble", "--wire", "morse"], WHOLE),
        (["assemble", "/no/such/file"], b""),
        (["events", "--chunk", "0"], WHOLE),
        (["juggle"], b""),
        ([], b""),
    ],
)
def test_bad_usage_and_unknown_wires_give_status_2(arguments: list[str], data: bytes) -> None:
    status, out, err = cli(*arguments, data=data)
    assert (status, out) == (2, "")
    assert err
    assert "Traceback" not in err


def test_a_closed_pipe_is_no_error() -> None:
    command = f"{sys.executable} -m streamrender events | head -c 1 > /dev/null; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", command], input=WHOLE * 50, capture_output=True, cwd=ROOT, timeout=60
    )
    assert b"Traceback" not in done.stderr


def test_summary_counts_and_judges() -> None:
    out = cli("summary", data=WHOLE)[1]
    assert "text: 2 characters in 1 deltas" in out
    assert "health: 1 deltas for 9 output tokens, ok" in out
    lost = cli("summary", data=sse(start(), block(0), delta(0, "a"), stop(0), end(output_tokens=900), DONE))[
        1
    ]
    assert "900 output tokens, lost" in lost
    nothing = {"input_tokens": 0, "output_tokens": 0}
    many = [delta(0, "word ") for _ in range(80)]
    silent = sse(start(usage=nothing), block(0), *many, stop(0), end(output_tokens=0), DONE)
    assert "0 output tokens, uncounted" in cli("summary", data=silent)[1]


def test_summary_of_recorded_events_has_times() -> None:
    events = [{**event, "at": 10 * at} for at, event in enumerate(run("anthropic", WHOLE))]
    status, out, _ = cli("summary", data="".join(json.dumps(event) + "\n" for event in events).encode())
    assert status == 0
    assert "first_token 20" in out
    assert "last 60" in out


@pytest.mark.parametrize(
    ("data", "wire"),
    [
        (WHOLE, "anthropic"),
        (b": hello\n\n" + sse({"type": "ping"}), "anthropic"),
        (b'{"type":"error","error":{"type":"api_error"}}', "anthropic"),
        (sse(chat({"content": "a"})), "openai-chat"),
        (b'error: {"message":"x"}\n\n', "openai-chat"),
        (b'data: {"error":{"message":"x"}}\n\n', "openai-chat"),
        (sse(gemini({"text": "a"})), "gemini"),
        (b'[{"candidates": []}\n]', "gemini"),
        (b'{"error":{"code":400,"message":"m","status":"INVALID_ARGUMENT"}}', "gemini"),
        (sse({"type": "response.created", "response": {}}), "openai-responses"),
        (sse({"type": "error", "code": "x", "message": "m", "sequence_number": 1}), "openai-responses"),
        (b'"a"\n{"done":true}\n', "chunks"),
        (b'{"done":true}\n', "chunks"),
        (b"junk", None),
        (b"", None),
        (b"\xff\xfe\x00", None),
        (b"data: [1]\n\n", None),
    ],
)
def test_the_wire_is_recognised_by_its_first_event(data: bytes, wire: str | None) -> None:
    assert detect(data) == wire


# Streams whose publishers shortened the text and left the counts: the health line notices.
SHORTENED = [
    "gemini/firebase/googleai_streaming-failure-recitation-no-content.sse",
    "gemini/firebase/vertexai_streaming-success-basic-reply-parts.sse",
    "openai-chat/vercel-ai/perplexity-citations.sse",
]


@pytest.mark.corpus
def test_commands_work_on_every_recorded_stream() -> None:
    lost = []
    for path in recorded():
        events = run(wire_of(path), read(path))
        summary = summarize(events)
        assert lines(summary)[-1].startswith("health: ")
        if summary["health"]["verdict"] == "lost":
            lost.append(path)
    assert lost == SHORTENED


@pytest.mark.corpus
@pytest.mark.parametrize("path", recorded("anthropic", "glm")[::25] + recorded("gemini")[::40])
def test_recorded_files(path: str) -> None:
    from tests.corpus import CORPUS

    for command in ("events", "assemble", "summary"):
        status, out, err = cli(command, str(CORPUS / path))
        assert (status in (0, 3), err) == (True, "")
        assert out
