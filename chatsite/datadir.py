"""The folder that holds everything a running app writes: database, secret key, collected static files.

STREAMRENDER_DATA names it; the default is `.data` in the repository. Nothing outside it is ever written.
"""

import contextlib
import os
import secrets
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def data_dir() -> Path:
    """The data folder, made at first use and readable by its owner only."""
    folder = Path(os.environ.get("STREAMRENDER_DATA") or ROOT / ".data").expanduser().resolve()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def secret_key(folder: Path) -> str:
    """The signing key of this installation: written once, mode 0600, the same for every process."""
    path = folder / "secret-key"
    with contextlib.suppress(FileExistsError):
        # Written beside and linked into place, so that a second process never reads half a key.
        draft = folder / f"secret-key.{os.getpid()}"
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(64))
        try:
            os.link(draft, path)
        finally:
            draft.unlink()
    return path.read_text()
