"""Turns and what is kept of them: journal rows while they run, one compact record after, every raw exchange.

Invariants: only the holder of the newest fence writes to a turn; an unfinished turn has no record and its
journal is whole up to `last_seq` of its newest row; a finished one has a record and no journal; a
conversation has at most one unfinished turn; a client id makes at most one turn per owner.
"""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q


class Turn(models.Model):
    """One user message and all that the model does to answer it."""

    class Status(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        STOPPING = "stopping"
        ENDED = "ended"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="turns")
    conversation = models.ForeignKey("chats.Conversation", on_delete=models.CASCADE, related_name="turns")
    parent = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.CASCADE, related_name="children"
    )
    user_message = models.ForeignKey("chats.Message", on_delete=models.CASCADE, related_name="answers")
    client_id = models.UUIDField()
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.QUEUED)
    ending = models.CharField(max_length=20, blank=True)
    error = models.JSONField(null=True, blank=True)
    model = models.CharField(max_length=200, blank=True, help_text="Key of the chosen model.")
    provider = models.CharField(max_length=40, blank=True)
    usage = models.JSONField(null=True, blank=True)
    fence = models.PositiveIntegerField(default=0)
    lease_owner = models.CharField(max_length=200, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    stop_at = models.DateTimeField(null=True, blank=True)
    approvals = models.JSONField(default=dict, blank=True, help_text="The user's answers by tool call id.")
    last_seq = models.PositiveIntegerField(default=0)
    record = models.BinaryField(null=True, blank=True, help_text="Compacted events: JSON, zlib.")
    page = models.BinaryField(null=True, blank=True, help_text="The page of an ended turn: JSON, zlib.")
    page_by = models.CharField(max_length=16, blank=True, help_text="Which renderer made the page.")
    created = models.DateTimeField(auto_now_add=True)
    started = models.DateTimeField(null=True, blank=True)
    ended = models.DateTimeField(null=True, blank=True)
    removed_at = models.DateTimeField(null=True, blank=True, help_text="Deleted by the user, from here on.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["owner", "client_id"], name="turn_submitted_once"),
            models.UniqueConstraint(
                fields=["conversation"], condition=~Q(status="ended"), name="one_unfinished_turn"
            ),
        ]
        indexes = [
            models.Index(fields=["lease_until"], condition=~Q(status="ended"), name="unfinished_turns"),
            models.Index(fields=["conversation", "-created"], name="turns_of_conversation"),
        ]

    def __str__(self) -> str:
        return f"{self.id} {self.ending or self.status}"

    @property
    def epoch(self) -> str:
        """Names the writer whose revisions are comparable."""
        return f"{self.id}:{self.fence}"


class JournalRow(models.Model):
    """The events of one flush: numbered seq..last, committed before anybody sees them."""

    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, related_name="journal")
    seq = models.PositiveIntegerField()
    last = models.PositiveIntegerField()
    fence = models.PositiveIntegerField()
    events = models.TextField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["turn", "seq"], name="journal_order")]

    def __str__(self) -> str:
        return f"{self.turn_id} {self.seq}-{self.last}"


class Exchange(models.Model):
    """One request to an upstream and the raw bytes that came back, secrets removed."""

    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, related_name="exchanges")
    number = models.PositiveIntegerField()
    wire = models.CharField(max_length=40)
    url = models.TextField(blank=True)
    request = models.BinaryField(help_text="What was sent: JSON, zlib.")
    status = models.PositiveIntegerField(null=True, blank=True)
    headers = models.JSONField(default=dict)
    error = models.JSONField(null=True, blank=True)
    started_at = models.DateTimeField()
    response = models.BinaryField(help_text="The body as it came: zlib.")
    arrivals = models.JSONField(default=list, help_text="[[milliseconds since started_at, bytes], …]")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["turn", "number"], name="exchange_number")]
        indexes = [models.Index(fields=["started_at"], name="exchange_age")]

    def __str__(self) -> str:
        return f"{self.turn_id} #{self.number} {self.status}"


class RawChunk(models.Model):
    """Bytes of an exchange that is not over, stored in one transaction with the events they made. `seq` is
    the number of the first of these events.
    """

    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, related_name="raw")
    number = models.PositiveIntegerField(help_text="Of the exchange.")
    seq = models.PositiveIntegerField()
    data = models.BinaryField()
    arrivals = models.TextField(help_text="As in Exchange, JSON.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["turn", "number", "seq"], name="raw_order")]

    def __str__(self) -> str:
        return f"{self.turn_id} #{self.number} {self.seq}"
