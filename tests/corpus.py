"""Where the recorded streams, cases and hostile inputs are: outside the repository, found by environment.

STREAM_CORPUS, STREAM_CASES and STREAM_SECURITY name the folders; the defaults stand beside the repository.
"""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CORPUS = Path(os.environ.get("STREAM_CORPUS", ROOT.parent / "shared" / "streams"))
CASES = Path(os.environ.get("STREAM_CASES", CORPUS.parent / "cases"))
SECURITY = Path(os.environ.get("STREAM_SECURITY", CORPUS.parent / "security"))


def missing() -> bool:
    """True when the recorded streams are not there."""
    return not (CORPUS / "INDEX.tsv").is_file()
