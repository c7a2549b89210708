"""The command line: events, assemble, markdown and summary of a recorded stream.

Exit status: 0 completed, 3 the stream ended in error or was cut off (the partial is still printed), 2 bad
usage, a file that cannot be read, or a wire that `auto` does not recognise.
"""

import argparse
import json
import os
import sys
from collections.abc import Iterator
from typing import Any

from streamrender.assembler import Assembler
from streamrender.events import DECODER_KINDS, RELAY_KINDS, Event
from streamrender.summary import lines, summarize
from streamrender.wire import WIRES, decode
from streamrender.wire.detect import detect

_EXIT = {"completed": 0, "error": 3, "cut_off": 3}


class _Usage(Exception):
    """A request that cannot be met; its text goes to standard error, exit status 2."""


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except _Usage as problem:
        sys.stderr.write(f"streamrender: {problem}\n")
        return 2
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m streamrender", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, run, text in (
        ("events", _events, "one JSON event a line"),
        ("assemble", _assemble, "the message as JSON"),
        ("summary", _summary, "counts, times if recorded, health line"),
        ("markdown", _markdown, "the final HTML of Markdown text"),
    ):
        command = commands.add_parser(name, help=text, description=text)
        command.set_defaults(run=run)
        if name != "markdown":
            command.add_argument(
                "--wire", default="auto", choices=("auto", *WIRES), help="what the bytes speak"
            )
        if name != "summary":
            unit = "characters" if name == "markdown" else "bytes"
            command.add_argument("--chunk", type=_positive, metavar="N", help=f"feed N {unit} at a time")
        if name == "markdown":
            command.add_argument("--ops", action="store_true", help="one JSON list of operations a feed")
            command.add_argument(
                "--live", action="store_true", help="the HTML after the last feed, not closed"
            )
        command.add_argument("file", nargs="?", default="-", metavar="FILE", help="- or none: standard input")
    return parser


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return value


def _read(name: str) -> bytes:
    try:
        if name == "-":
            return sys.stdin.buffer.read()
        with open(name, "rb") as file:
            return file.read()
    except OSError as problem:
        raise _Usage(f"cannot read {name}: {problem.strerror}") from None


def _write(text: str) -> None:
    sys.stdout.buffer.write(text.encode("utf-8", "replace"))


def _decoded(options: argparse.Namespace, data: bytes) -> Iterator[list[Event]]:
    """The events, feed by feed."""
    wire = detect(data) if options.wire == "auto" else options.wire
    if wire is None:
        raise _Usage(f"the wire is not recognised; name it with --wire ({', '.join(WIRES)})")
    decoder = decode(wire)
    size = getattr(options, "chunk", None) or len(data) or 1
    for start in range(0, len(data), size):
        yield decoder.feed(data[start : start + size])
    yield decoder.close()


def _events(options: argparse.Namespace) -> int:
    ended = ""
    for events in _decoded(options, _read(options.file)):
        for event in events:
            _write(json.dumps(event, ensure_ascii=False, separators=(",", ":")) + "\n")
            ended = event.get("ended", ended)
    return _EXIT[ended]


def _assemble(options: argparse.Namespace) -> int:
    assembler = Assembler()
    for events in _decoded(options, _read(options.file)):
        for event in events:
            assembler.feed(event)
    message = assembler.to_dict()
    _write(json.dumps(message, ensure_ascii=False, indent=2) + "\n")
    return _EXIT[message["ended"]]


def _summary(options: argparse.Namespace) -> int:
    data = _read(options.file)
    events = _journal(data) if options.wire == "auto" else None
    if events is None:
        events = [event for some in _decoded(options, data) for event in some]
    summary = summarize(events)
    _write("\n".join(lines(summary)) + "\n")
    return _EXIT.get(summary["ended"], 3)


def _journal(data: bytes) -> list[Event] | None:
    """Events that were recorded already, one JSON object a line; None when the bytes are anything else."""
    events: list[Event] = []
    for line in data.splitlines():
        try:
            value: Any = json.loads(line)
        except (ValueError, RecursionError):
            return None
        if not isinstance(value, dict) or value.get("type") not in DECODER_KINDS | RELAY_KINDS:
            return None
        events.append(value)
    return events or None


def _markdown(options: argparse.Namespace) -> int:
    from streamrender.markdown import MarkdownStream

    text = _read(options.file).decode("utf-8", "replace")
    stream = MarkdownStream()
    size = options.chunk or len(text) or 1
    for start in range(0, len(text), size):
        ops = stream.feed(text[start : start + size])
        if options.ops:
            _write(json.dumps(ops, ensure_ascii=False) + "\n")
    if options.live:
        if not options.ops:
            _write(stream.html)
        return 0
    ops = stream.close()
    _write(json.dumps(ops, ensure_ascii=False) + "\n" if options.ops else stream.html)
    return 0


if __name__ == "__main__":
    sys.exit(main())
