"""Conversations and turns in the admin, to look at."""

from django.contrib import admin

from chatsite.chats.models import Conversation, Message


@admin.register(Conversation)
class ConversationAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ("title", "owner", "model", "updated", "deleted_at")
    list_filter = ("owner",)
    search_fields = ("title",)


@admin.register(Message)
class MessageAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ("id", "role", "conversation", "owner", "created")
    list_filter = ("role", "owner")
    raw_id_fields = ("owner", "conversation", "parent", "turn")
