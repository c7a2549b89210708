"""Addresses of conversations."""

from django.urls import path

from chatsite.chats import (
    attachment_views,
    conversation_settings,
    device,
    inspector,
    offered,
    offline,
    permitted,
    removal,
    sharing,
    shelf,
    slash,
    views,
)

urlpatterns = [
    path("", views.home, name="home"),
    path("offline/", offline.page, name="offline"),
    path("worker.js", offline.worker, name="worker"),
    path("c/<uuid:conversation_id>/export.json", views.export_json, name="export_json"),
    path("import/", views.import_json, name="import"),
    path("c/<uuid:conversation_id>/share/", sharing.share, name="share"),
    path("c/<uuid:conversation_id>/unshare/", sharing.unshare, name="unshare"),
    path("s/<str:token>/", sharing.shared, name="shared"),
    path("device/worker.js", device.worker, name="device_worker"),
    path("attachments/", attachment_views.upload, name="attach"),
    path("attachments/<uuid:attachment_id>/", attachment_views.serve, name="attachment"),
    path("attachments/<uuid:attachment_id>/delete/", attachment_views.delete, name="detach"),
    path("c/<uuid:conversation_id>/settings/", conversation_settings.settings, name="settings"),
    path("tools/", slash.tools, name="tools"),
    path("c/<uuid:conversation_id>/tools/", slash.tools, name="conversation_tools"),
    path("models/", offered.models, name="models"),
    path("permissions/", permitted.permitted, name="permissions"),
    path("permissions/take-back/", permitted.take_back, name="take_back"),
    path("search/", views.find, name="search"),
    path("inspect/<uuid:turn_id>/", inspector.turn, name="inspect"),
    path("inspect/<uuid:turn_id>/events/", inspector.events, name="inspect_events"),
    path("inspect/<uuid:turn_id>/<int:number>/", inspector.exchange, name="inspect_exchange"),
    path("inspect/<uuid:turn_id>/<int:number>.sse", inspector.download, name="inspect_download"),
    path("c/<uuid:conversation_id>/", views.conversation, name="conversation"),
    path("c/<uuid:conversation_id>/rename/", views.rename, name="rename"),
    path("c/<uuid:conversation_id>/delete/", shelf.delete, name="delete"),
    path("c/<uuid:conversation_id>/turns/<uuid:turn_id>/remove/", removal.remove, name="remove"),
    path("c/<uuid:conversation_id>/turns/<uuid:turn_id>/restore/", removal.put_back, name="put_back"),
    path("c/<uuid:conversation_id>/restore/", shelf.restore, name="restore"),
    *(
        path(f"c/<uuid:conversation_id>/{action}/", shelf.mark, {"action": action}, name=action)
        for action in shelf.MARKS
    ),
    path("c/<uuid:conversation_id>/export.html", views.export_html, name="export_html"),
    path("c/<uuid:conversation_id>/export.md", views.export_markdown, name="export"),
]
