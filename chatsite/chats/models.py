"""What is kept of a talk: conversations, and their messages as a tree.

Invariants: every object has an owner and is looked up through it; a message's parent is the message before it
on its branch; a user's message belongs to no turn (several turns may answer it), every other message to the
turn that made it.
"""

import uuid

from django.conf import settings
from django.db import models


class Conversation(models.Model):
    class TitledBy(models.TextChoices):
        """Where the title came from; one that the user gave is never replaced."""

        WORDS = "words", "first words of the first message"
        MODEL = "model"
        USER = "user"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="conversations"
    )
    title = models.CharField(max_length=200, blank=True)
    titled_by = models.CharField(max_length=10, choices=TitledBy.choices, default=TitledBy.USER)
    model = models.CharField(max_length=200, blank=True, help_text="Key of the last chosen model.")
    system_prompt = models.TextField(blank=True)
    effort = models.CharField(max_length=10, blank=True, help_text="How much to think; empty: as usual.")
    temperature = models.FloatField(null=True, blank=True)
    max_tokens = models.PositiveIntegerField(null=True, blank=True)
    server_tools = models.JSONField(default=list, blank=True, help_text="Tools that the provider runs.")
    created = models.DateTimeField(auto_now_add=True)
    updated = models.DateTimeField(auto_now=True)
    deleted_at = models.DateTimeField(null=True, blank=True)
    pinned_at = models.DateTimeField(null=True, blank=True)
    archived_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [models.Index(fields=["owner", "deleted_at", "-updated"], name="conversation_list")]

    def __str__(self) -> str:
        return self.title or str(self.id)


class Attachment(models.Model):
    """A file beside a message; its bytes lie in the data folder (attachments.py). Without a conversation it
    was not sent yet.
    """

    class Kind(models.TextChoices):
        IMAGE = "image"
        PDF = "pdf"
        TEXT = "text"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    conversation = models.ForeignKey(
        Conversation, null=True, blank=True, on_delete=models.CASCADE, related_name="attachments"
    )
    kind = models.CharField(max_length=10, choices=Kind.choices)
    name = models.CharField(max_length=200)
    media_type = models.CharField(max_length=60)
    bytes = models.PositiveIntegerField()
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["owner", "created"],
                condition=models.Q(conversation=None),
                name="unsent_attachments",
            )
        ]

    def __str__(self) -> str:
        return self.name


class Share(models.Model):
    """A conversation as it was at one moment, for whoever has the link. `pages`: snapshot frames, packed."""

    conversation = models.OneToOneField(Conversation, on_delete=models.CASCADE, related_name="share")
    token = models.CharField(max_length=64, unique=True)
    title = models.CharField(max_length=200, blank=True)
    pages = models.BinaryField()
    taken = models.DateTimeField()

    def __str__(self) -> str:
        return f"share of {self.conversation_id}"


class Message(models.Model):
    """One message as it goes back upstream: `content` is a list of canonical blocks, kept exactly."""

    class Role(models.TextChoices):
        USER = "user"
        ASSISTANT = "assistant"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="messages")
    parent = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.CASCADE, related_name="children"
    )
    turn = models.ForeignKey(
        "relay.Turn", null=True, blank=True, on_delete=models.CASCADE, related_name="messages"
    )
    number = models.PositiveIntegerField(default=0, help_text="Place within its turn, from 0.")
    role = models.CharField(max_length=10, choices=Role.choices)
    content = models.JSONField()
    provider = models.CharField(
        max_length=40, blank=True, help_text="Who wrote it, for an assistant message."
    )
    model = models.CharField(max_length=200, blank=True)
    stop_reason = models.CharField(max_length=60, blank=True)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["turn", "number"], name="message_place")]

    def __str__(self) -> str:
        return f"{self.role} {self.id}"


class Said(models.Model):
    """What the search index has of a message (chats/search_index.py): its tokens, and its place in time."""

    number = models.BigAutoField(primary_key=True)
    message = models.OneToOneField(Message, on_delete=models.CASCADE, related_name="said")
    owner_id = models.BigIntegerField()
    tokens = models.TextField()

    def __str__(self) -> str:
        return f"{self.number} {self.message_id}"
