"""Upstreams that were set up in the admin, what servers list, and what models cost.

Invariants: a key is stored sealed and nowhere else; at most one upstream is the default; a price or a window
is what somebody entered, none is shipped.
"""

import re

from django.core.exceptions import ValidationError
from django.core.validators import MinValueValidator, URLValidator
from django.db import models as db
from django.db import transaction
from django.utils.translation import gettext_lazy as _

from chatsite.sealed import seal, unseal


class StoredUpstream(db.Model):
    """One account at one server. `models`: one a line; none means all that the server lists."""

    class Kind(db.TextChoices):
        ANTHROPIC = "anthropic", "Anthropic"
        GLM = "glm", "GLM"
        GEMINI = "gemini", "Gemini"
        RESPONSES = "openai-responses", "OpenAI Responses"
        CHAT = "openai-chat", "OpenAI Chat Completions"

    name = db.CharField(_("name"), max_length=60, unique=True)
    kind = db.CharField(_("kind"), max_length=20, choices=Kind.choices)
    base_url = db.CharField(
        _("base URL"),
        max_length=300,
        blank=True,
        validators=[URLValidator(schemes=["http", "https"])],
        help_text=_("Empty: the provider's own server."),
    )
    sealed_key = db.TextField(editable=False, blank=True)
    models = db.TextField(
        _("models"),
        blank=True,
        help_text=_("One a line, the first is the default. Empty: all that the server lists."),
    )
    enabled = db.BooleanField(_("enabled"), default=True)
    default = db.BooleanField(
        _("default"), default=False, help_text=_("New conversations begin with its first model.")
    )

    class Meta:
        ordering = ["-default", "name"]
        verbose_name = _("upstream")
        verbose_name_plural = _("upstreams")

    def __str__(self) -> str:
        return self.name

    def save(self, *args: object, **kwargs: object) -> None:
        """Store it; being the default ends when another becomes it."""
        with transaction.atomic():
            if self.default:
                StoredUpstream.objects.filter(default=True).exclude(pk=self.pk).update(default=False)
            super().save(*args, **kwargs)  # type: ignore[arg-type]

    def set_key(self, key: str) -> None:
        """Seal the key into the row; empty for a server without keys."""
        self.sealed_key = seal(key)

    def key(self) -> str:
        """The key in plain. Raises sealed.CannotOpen."""
        return unseal(self.sealed_key)

    def named_models(self) -> list[str]:
        """The models that are named here, in order, each once."""
        return list(dict.fromkeys(line.strip() for line in self.models.splitlines() if line.strip()))


class Listing(db.Model):
    """What a server last said it has. `upstream`: the key of an upstream (registry.py); `models`: [{"id",
    "label", "window"}], window in tokens or null; `address`: where it was asked.
    """

    upstream = db.CharField(max_length=80, unique=True)
    address = db.CharField(max_length=300)
    models = db.JSONField(default=list)
    fetched = db.DateTimeField()

    def __str__(self) -> str:
        return self.upstream


class Price(db.Model):
    """What a model costs per million tokens, and how much it can read, as somebody entered it."""

    model = db.CharField(
        _("model"),
        max_length=200,
        unique=True,
        help_text=_("Its name, or a pattern such as claude-sonnet-*; the longest that fits is taken."),
    )
    currency = db.CharField(_("currency"), max_length=3, default="USD")
    input = db.DecimalField(
        _("input"), max_digits=12, decimal_places=6, null=True, blank=True, validators=[MinValueValidator(0)]
    )
    output = db.DecimalField(
        _("output"), max_digits=12, decimal_places=6, null=True, blank=True, validators=[MinValueValidator(0)]
    )
    cache_read = db.DecimalField(
        _("read from the cache"),
        max_digits=12,
        decimal_places=6,
        null=True,
        blank=True,
        validators=[MinValueValidator(0)],
        help_text=_("Empty: as input."),
    )
    cache_write = db.DecimalField(
        _("written to the cache"),
        max_digits=12,
        decimal_places=6,
        null=True,
        blank=True,
        validators=[MinValueValidator(0)],
        help_text=_("Empty: as input."),
    )
    window = db.PositiveIntegerField(
        _("context window"), null=True, blank=True, help_text=_("In tokens. Empty: what the server says.")
    )

    def clean(self) -> None:
        """A currency is three capital letters: browsers write no other. Raises ValidationError."""
        if not re.fullmatch(r"[A-Z]{3}", self.currency):
            raise ValidationError({"currency": _("Three capital letters, such as USD.")})

    class Meta:
        ordering = ["model"]
        verbose_name = _("price")
        verbose_name_plural = _("prices")

    def __str__(self) -> str:
        return self.model
