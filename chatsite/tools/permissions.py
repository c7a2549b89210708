"""Tools that a user always allows: said once on a card, taken back in the preferences.

A tool whose policy is "always" asks each time, whatever is remembered here.
"""

from typing import Any

from chatsite.tools.models import Permission


def given(owner_id: int, tool: str) -> bool:
    """True when the user need not be asked about this tool."""
    return Permission.objects.filter(owner_id=owner_id, tool=tool).exists()


def give(owner_id: int, tool: str) -> None:
    """Allow it from now on."""
    Permission.objects.get_or_create(owner_id=owner_id, tool=tool)


def take_back(owner_id: int, tool: str) -> None:
    """Ask again from now on."""
    Permission.objects.filter(owner_id=owner_id, tool=tool).delete()


def listed(owner_id: int) -> list[dict[str, Any]]:
    """What the user allows: `{"tool", "given"}`, `given` as ISO 8601."""
    rows = Permission.objects.filter(owner_id=owner_id)
    return [{"tool": row.tool, "given": row.given.isoformat()} for row in rows]
