"""The database is held by somebody else, or the disk is full."""

import asyncio
import contextlib
import resource
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.faults.house import House, end, restarted
from tests.faults.scale import scale
from tests.faults.upstream import TEXT, mixed, upstream_at
from tests.relay.served import Prepared, copied
from tests.relay.upstream import answer, block, start, stop


async def test_another_writer_holds_the_database(data: Path, folder: Prepared) -> None:
    """Nothing new is shown meanwhile, and everything after."""
    async with upstream_at(0, mixed(1, 60, 1, 0.02)) as fake:
        process, base = await restarted(data, fake.url)
        try:
            house = House(base, folder.sessions, data=data)
            async with house.tab() as tab:
                turn = (await tab.submit("Go"))["turn"]
                await tab.until(lambda: tab.text(turn))
                other = sqlite3.connect(data / "db.sqlite3", isolation_level=None)
                other.execute("BEGIN IMMEDIATE")
                await asyncio.sleep(0.2)
                seen = tab.text(turn)
                await asyncio.sleep(scale(1.5, 5))
                assert tab.text(turn) == seen
                other.execute("ROLLBACK")
                other.close()
                assert await tab.ended(turn) == "complete"
                assert tab.text(turn) == TEXT
                assert tab.closes == []
                await house.agree(str(tab.conversation), tab)
        finally:
            end(process)


@contextlib.contextmanager
def small_disk(at: Path, megabytes: int) -> Iterator[bool]:
    """A file system of that size at `at`; False where it may not be mounted."""
    at.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(at)]
    mounted = subprocess.run(command, capture_output=True).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(at)], check=True)


async def test_full_disk(folder: Prepared, tmp_path: Path) -> None:
    """On a small tmpfs; where that may not be mounted, a limit on the size of files has the same effect."""
    piece = "lorem ipsum dolor sit amet " * 400
    steps: list[Any] = [start()]
    for chunk in block(0, "text", [piece + "\n\n"] * 300):
        steps += [chunk, 0.01]
    with small_disk(tmp_path / "disk", 40) as mounted:
        data = copied(folder, tmp_path / "disk" / "data")
        async with upstream_at(0, [*steps, stop()], answer("Fine.")) as fake:
            process, base = await restarted(data, fake.url)
            house = House(base, folder.sessions, data=data)
            try:
                async with house.tab() as tab:
                    turn = (await tab.submit("Go"))["turn"]
                    await tab.until(lambda: tab.text(turn))
                    filler = tmp_path / "disk" / "filler"
                    if mounted:
                        await asyncio.to_thread(fill, filler)
                    else:
                        limit(process.pid, 4096)
                    await asyncio.sleep(scale(2.0, 30.0))
                    seen = tab.text(turn)
                    assert process.poll() is None
                    assert len(seen) < len(piece) * 300, "the disk was never full"
                    filler.unlink(missing_ok=True)
                    limit(process.pid, resource.RLIM_INFINITY)
                    # There is room again: what was seen is there, and the conversation goes on.
                    assert await tab.ended(turn, 60) in scale(("complete",), ("error", "interrupted"))
                    assert tab.text(turn).startswith(seen)
                    after = (await tab.submit("And now?", parent=turn))["turn"]
                    assert await tab.ended(after) == "complete"
                    await house.agree(str(tab.conversation), tab)
            finally:
                end(process)


def fill(path: Path) -> None:
    """Write until there is no room."""
    with contextlib.suppress(OSError), path.open("wb", buffering=0) as file:
        while file.write(b"x" * 65536):
            pass


def limit(pid: int, size: int) -> None:
    """No file of this process grows beyond `size`."""
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
