"""Whether the model that answered is the one that was asked.

Providers answer under longer names than they are asked by: a dated snapshot, a path, a region, a tag. That is
the same model under another name. What a router or a fallback chose is another one, and a reader should know.
"""

import re

_SNAPSHOT = re.compile(
    r"(?:-(?:preview|exp|experimental))?[-@](?:20\d\d-?[01]\d-?[0-3]\d|[01]\d-20\d\d|[01]\d-[0-3]\d|\d{3,4})$"
    r"|-(?:preview|exp|experimental)$"
)
_REVISION = re.compile(r"-v\d+(?::\d+)?$")
_VENDOR = re.compile(r"^(?:[a-z]+\.)+(?=[a-z])")


def another(asked: str, served: str) -> bool:
    """Whether `served` truly is another model than `asked`; where one of them is not known, it is not.

    >>> another("claude-sonnet-4-5", "claude-sonnet-4-5-20250929")
    False
    >>> another("claude-opus-4-5", "claude-sonnet-4-5-20250929")
    True
    """
    if not asked or not served:
        return False
    (wanted, wanted_tag), (given, given_tag) = _name(asked), _name(served)
    if wanted_tag and given_tag and wanted_tag != given_tag:
        return True
    if wanted.endswith("-latest"):
        # An alias stands for whatever is newest of its line: all its words are in the name of what that is.
        return not _within(wanted.removesuffix("-latest").split("-"), given.split("-"))
    wanted_date, given_date = _snapshot(wanted), _snapshot(given)
    days = [re.sub(r"\D", "", date) for date in (wanted_date, given_date)]
    if all(days) and days[0] != days[1]:
        return True
    if wanted == given:
        return False
    return _words(wanted, wanted_date) != _words(given, given_date)


def _name(model: str) -> tuple[str, str]:
    """The name without path, vendor and revision, and the tag behind it (`:free`, `:8b`)."""
    last = model.casefold().rstrip("/").rpartition("/")[2]
    last = _VENDOR.sub("", _REVISION.sub("", last))
    name, _, tag = last.partition(":")
    return name.replace(".", "-").replace("_", "-"), "" if tag == "latest" else tag


def _snapshot(name: str) -> str:
    found = _SNAPSHOT.search(name)
    return found.group() if found else ""


def _words(name: str, snapshot: str) -> tuple[list[str], list[str]]:
    """Numbers in their order and words in any: gateways put the version before or after the family."""
    parts = name[: len(name) - len(snapshot)].removesuffix("-0").split("-")
    return [part for part in parts if part.isdigit()], sorted(part for part in parts if not part.isdigit())


def _within(some: list[str], all_: list[str]) -> bool:
    """Whether the words of `some` come in `all_`, in this order."""
    rest = iter(all_)
    return all(word in rest for word in some)
