"""Static files collected when they have changed, so that a fresh clone needs no step of its own.

Processes that share a data folder start together; one collects while the others wait.
"""

import fcntl
import hashlib
import json
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles import finders
from django.core.management import call_command


def refresh() -> bool:
    """Collect into STATIC_ROOT if any source file is new or changed since the last time; whether it was
    done.
    """
    stamp = settings.STATIC_ROOT.with_name("static.stamp")
    with stamp.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return _refresh(stamp)


def _refresh(stamp: Path) -> bool:
    now = _fingerprint()
    if stamp.is_file() and stamp.read_text() == now and (settings.STATIC_ROOT / "staticfiles.json").is_file():
        return False
    call_command("collectstatic", verbosity=0, interactive=False)
    stamp.write_text(now)
    return True


def _fingerprint() -> str:
    files = []
    for finder in finders.get_finders():
        for path, storage in finder.list([]):
            files.append([path, storage.size(path), storage.get_modified_time(path).timestamp()])
    return hashlib.sha256(json.dumps(sorted(files)).encode()).hexdigest()
