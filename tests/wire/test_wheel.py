"""streamrender alone: its wheel installs into a clean environment without Django and runs."""

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from tests.corpus import ROOT
from tests.wire.support import DONE, block, delta, end, sse, start, stop

DATA = sse(start(), block(0), delta(0, "hello"), stop(0), end(), DONE)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy of what it is made of (a build leaves files in its folder)."""
    source = tmp_path_factory.mktemp("source")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        text = (ROOT / name).read_bytes() if (ROOT / name).is_file() else b"# streamrender\n"
        (source / name).write_bytes(text)
    for path in (ROOT / "streamrender").rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            target = source / path.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    out = tmp_path_factory.mktemp("wheel")
    code = "import sys\nfrom setuptools.build_meta import build_wheel\nprint(build_wheel(sys.argv[1]))"
    subprocess.run(
        [sys.executable, "-c", code, str(out)], cwd=source, check=True, capture_output=True, timeout=120
    )
    (found,) = out.glob("*.whl")
    return found


def test_the_wheel_holds_streamrender_alone(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"streamrender"}
    assert {"streamrender/py.typed", "streamrender/__main__.py", "streamrender/wire/anthropic.py"} <= set(
        names
    )


def test_it_runs_in_a_clean_environment(wheel: Path, tmp_path: Path) -> None:
    home = tmp_path / "env"
    venv.create(home, with_pip=False)
    python = home / ("Scripts" if os.name == "nt" else "bin") / "python"
    site = next((home / "lib").glob("python*")) / "site-packages"
    zipfile.ZipFile(wheel).extractall(site)
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}

    def run(*arguments: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [str(python), *arguments], input=DATA, capture_output=True, cwd=tmp_path, env=clean, timeout=60
        )

    assert run("-c", "import django").returncode != 0
    done = run("-m", "streamrender", "assemble")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b'"text": "hello"' in done.stdout
    assert run("-m", "streamrender", "summary", "--wire", "anthropic").returncode == 0


def test_decoding_needs_nothing_but_python(tmp_path: Path) -> None:
    """Neither the Markdown engine's packages nor the application's are loaded for it."""
    code = (
        "import sys; from streamrender import decode, Assembler; "
        "print(sorted({name.split('.')[0] for name in sys.modules} - set(sys.stdlib_module_names)))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], capture_output=True, cwd=ROOT, timeout=60, check=True
    )
    assert done.stdout.decode().strip() in ("['__main__', 'streamrender']", "['streamrender']")
