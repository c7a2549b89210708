"""Addresses of conversations."""

from django.urls import path

from chatsite.chats import views

urlpatterns = [
    path("", views.home, name="home"),
    path("c/<uuid:conversation_id>/", views.conversation, name="conversation"),
    path("c/<uuid:conversation_id>/rename/", views.rename, name="rename"),
    path("c/<uuid:conversation_id>/delete/", views.delete, name="delete"),
    path("c/<uuid:conversation_id>/export.md", views.export_markdown, name="export"),
]
