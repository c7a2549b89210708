"""Fetch MediaPipe's LLM Inference from npm: 28 MB that most installations do not need, so they are not in
the repository. Version and digest are fixed here; nothing else is accepted.
"""

import base64
import hashlib
import io
import os
import tarfile
import urllib.request
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

VERSION = "0.10.29"
LICENCE = "Apache-2.0"
SHA512 = "PRznwHOprGNoSbTbtAyHkMD1rslPLEBSidvz/Ga7qWVr86CXmPEcQpFCidLciBpWNKF8VhQMU2YA51YyBCbPKg=="
MEMBERS = {
    "package/genai_bundle.mjs": "genai_bundle.mjs",
    "package/wasm/genai_wasm_module_internal.js": "genai_wasm_module_internal.mjs",
    "package/wasm/genai_wasm_module_internal.wasm": "genai_wasm_module_internal.wasm",
    "package/README.md": "README.md",
}


class Command(BaseCommand):
    """`manage.py fetch_mediapipe`; `--file`: the package, where it was fetched by other means."""

    help = f"Fetch @mediapipe/tasks-genai {VERSION} ({LICENCE}) from npm, for models in the browser."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--file", type=Path, help="the package as npm pack gives it")

    def handle(self, *args: Any, **options: Any) -> None:
        data = options["file"].read_bytes() if options["file"] else _fetched()
        if base64.b64encode(hashlib.sha512(data).digest()).decode() != SHA512:
            raise CommandError(f"This is not @mediapipe/tasks-genai {VERSION}: its digest is another.")
        folder = settings.DATA / "vendor" / "mediapipe"
        folder.mkdir(parents=True, exist_ok=True)
        with tarfile.open(fileobj=io.BytesIO(data)) as package:
            for member, name in MEMBERS.items():
                file = package.extractfile(member)
                if file is None:
                    raise CommandError(f"The package has no {member}.")
                (folder / name).write_bytes(file.read())
        self.stdout.write(f"@mediapipe/tasks-genai {VERSION} is in {folder}. Start the server again.")


def _fetched() -> bytes:
    registry = os.environ.get("NPM_CONFIG_REGISTRY", "https://registry.npmjs.org").rstrip("/")
    if not registry.startswith("https://"):
        raise CommandError("NPM_CONFIG_REGISTRY must be an https address.")
    url = f"{registry}/@mediapipe/tasks-genai/-/tasks-genai-{VERSION}.tgz"
    try:
        with urllib.request.urlopen(url, timeout=120) as response:  # noqa: S310 - https, as checked above
            body: bytes = response.read()
            return body
    except OSError as error:
        raise CommandError(f"{url} could not be fetched: {error}") from None
