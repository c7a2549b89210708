"""docs/wires.md names every event kind, fault and wire that the code knows."""

import re

from streamrender.events import DECODER_KINDS
from streamrender.wire import WIRES
from tests.corpus import ROOT


def test_the_table_is_complete() -> None:
    text = (ROOT / "docs" / "wires.md").read_text()
    sources = [path.read_text() for path in (ROOT / "streamrender" / "wire").glob("*.py")]
    faults = {kind for source in sources for kind in re.findall(r"_fault\(\s*out,\s*\"(\w+)\"", source)}
    assert len(faults) > 20
    assert sorted(kind for kind in faults if f"`{kind}`" not in text) == []
    assert sorted(kind for kind in DECODER_KINDS if f"`{kind}" not in text and kind != "fault") == []
    assert sorted(name for name in WIRES if name not in text) == []
