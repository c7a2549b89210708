"""MCP servers that were set up in the admin, and what each user said about tools once for all.

Invariants: environment and headers of a server, which hold its keys, are stored sealed and nowhere else; a
user has at most one permission for a tool.
"""

import json

from django.conf import settings
from django.core.validators import MinValueValidator, RegexValidator, URLValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from chatsite.sealed import seal, unseal
from chatsite.tools.mcp.config import Server


class McpServer(models.Model):
    """A command to start, or the address of a streamable HTTP endpoint. `args`: one a line."""

    name = models.CharField(
        _("name"), max_length=30, unique=True, validators=[RegexValidator(r"^[a-zA-Z0-9-]+$")]
    )
    command = models.CharField(_("command"), max_length=500, blank=True)
    args = models.TextField(_("arguments"), blank=True, help_text=_("One a line."))
    url = models.CharField(
        _("address"), max_length=500, blank=True, validators=[URLValidator(schemes=["http", "https"])]
    )
    sealed_words = models.TextField(editable=False, blank=True)
    seconds = models.FloatField(
        _("time limit"), default=60.0, validators=[MinValueValidator(1)], help_text=_("Seconds for a call.")
    )
    enabled = models.BooleanField(_("enabled"), default=True)

    class Meta:
        ordering = ["name"]
        verbose_name = _("MCP server")
        verbose_name_plural = _("MCP servers")

    def __str__(self) -> str:
        return self.name

    def set_words(self, words: dict[str, str]) -> None:
        """Seal the environment of a command, or the headers of an address."""
        self.sealed_words = seal(json.dumps(words)) if words else ""

    def words(self) -> dict[str, str]:
        """The environment or the headers in plain. Raises sealed.CannotOpen."""
        plain: dict[str, str] = json.loads(unseal(self.sealed_words) or "{}")
        return plain

    def server(self) -> Server:
        """What to connect to. Raises sealed.CannotOpen."""
        words = self.words()
        return Server(
            name=self.name,
            command=self.command,
            args=tuple(line.strip() for line in self.args.splitlines() if line.strip()),
            env=words if self.command else {},
            url="" if self.command else self.url,
            headers={} if self.command else words,
            seconds=self.seconds,
        )


class Permission(models.Model):
    """A tool that a user always allows."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    tool = models.CharField(max_length=64)
    given = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["owner", "tool"], name="one_permission_a_tool")]
        ordering = ["tool"]

    def __str__(self) -> str:
        return self.tool
