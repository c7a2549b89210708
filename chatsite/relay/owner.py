"""Who holds a turn: this process by name, and whether another process of this host is still alive.

The name is host:pid:start. The start time tells a process from a later one that was given the same pid.
"""

import os
import socket
import time

_HOST = socket.gethostname().replace(":", "_")


def _started(pid: int) -> str | None:
    """Start time of a process in clock ticks since boot, "" where /proc is missing, None when it is gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except FileNotFoundError:
        if os.path.isdir("/proc/self"):
            return None
        return _alive_without_proc(pid)
    except OSError:
        return ""
    # A zombie runs nothing any more.
    return None if fields[0] in (b"Z", b"X") else fields[19].decode()


def _alive_without_proc(pid: int) -> str | None:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except OSError:
        return ""
    return ""


def name(pid: int | None = None) -> str:
    """The name of this process (or of another one of this host, for tests)."""
    pid = pid or os.getpid()
    return f"{_HOST}:{pid}:{_started(pid) or int(time.time())}"


def is_dead(owner: str) -> bool:
    """True when `owner` was a process of this host that is certainly gone; False when unknown."""
    host, _, rest = owner.partition(":")
    pid, _, start = rest.partition(":")
    if host != _HOST or not pid.isdigit():
        return False
    now = _started(int(pid))
    return now is None or (now != "" and now != start)
