"""The examples of CommonMark 0.31.2, fetched from the npm package `commonmark-spec` into .cache/ when first
asked for.
"""

import json
import re
import subprocess
import tarfile
from functools import cache
from typing import Any

from tests.corpus import ROOT

VERSION = "0.31.2"
FOLDER = ROOT / ".cache" / "commonmark-spec"

_EXAMPLE = re.compile(r"^`{32} example\n(.*?)^\.\n(.*?)^`{32}$", re.M | re.S)


@cache
def examples() -> list[tuple[str, str]]:
    """(Markdown, HTML) of every example, in the order of the specification."""
    saved = FOLDER / "examples.json"
    if not saved.is_file():
        FOLDER.mkdir(parents=True, exist_ok=True)
        saved.write_text(json.dumps(_extract(_fetch())), encoding="utf-8")
    found: list[Any] = json.loads(saved.read_text(encoding="utf-8"))
    return [(markdown, html) for markdown, html in found]


def _fetch() -> str:
    command = ["npm", "pack", f"commonmark-spec@{VERSION}", "--silent"]
    try:
        subprocess.run(command, cwd=FOLDER, check=True, capture_output=True, timeout=120)
    except FileNotFoundError:
        raise RuntimeError("The CommonMark examples come from npm, and npm is not installed.") from None
    except subprocess.CalledProcessError as error:
        reason = error.stderr.decode(errors="replace").strip()
        raise RuntimeError(f"npm could not fetch commonmark-spec@{VERSION} into {FOLDER}: {reason}") from None
    with tarfile.open(FOLDER / f"commonmark-spec-{VERSION}.tgz") as package:
        member = package.extractfile("package/spec.txt")
        if member is None:
            raise RuntimeError("commonmark-spec has no spec.txt")
        return member.read().decode()


def _extract(text: str) -> list[tuple[str, str]]:
    found = [(m[1].replace("→", "\t"), m[2].replace("→", "\t")) for m in _EXAMPLE.finditer(text)]
    if len(found) != 652:
        raise RuntimeError(f"expected 652 examples, found {len(found)}")
    return found
