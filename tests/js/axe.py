"""axe-core, which judges a page's accessibility: fetched from npm into .cache/ when first asked for."""

import subprocess
import tarfile
from functools import cache
from typing import Any

from playwright.sync_api import Page

from tests.corpus import ROOT

VERSION = "4.14.1"
FOLDER = ROOT / ".cache" / "axe-core"


def violations(page: Page) -> list[str]:
    """What axe finds on the page as it is now: the rule, and the elements that break it."""
    page.evaluate(f"() => {{ {_source()} }}")
    found: list[dict[str, Any]] = page.evaluate("axe.run(document).then((result) => result.violations)")
    return [f"{one['id']}: {[node['html'][:160] for node in one['nodes']]}" for one in found]


@cache
def _source() -> str:
    package = FOLDER / f"axe-core-{VERSION}.tgz"
    if not package.is_file():
        FOLDER.mkdir(parents=True, exist_ok=True)
        command = ["npm", "pack", f"axe-core@{VERSION}", "--silent"]
        try:
            subprocess.run(command, cwd=FOLDER, check=True, capture_output=True, timeout=120)
        except FileNotFoundError:
            raise RuntimeError("axe-core comes from npm, and npm is not installed.") from None
        except subprocess.CalledProcessError as error:
            reason = error.stderr.decode(errors="replace").strip()
            raise RuntimeError(f"npm could not fetch axe-core@{VERSION}: {reason}") from None
    with tarfile.open(package) as files:
        member = files.extractfile("package/axe.min.js")
        assert member is not None
        return member.read().decode()
