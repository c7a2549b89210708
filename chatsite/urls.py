"""Every address of the app over HTTP; the socket's is in routing.py."""

from django.contrib import admin
from django.urls import include, path
from django.views.i18n import JavaScriptCatalog, set_language

from chatsite.chats.views import livez

urlpatterns = [
    path("livez", livez, name="livez"),
    path("jsi18n/", JavaScriptCatalog.as_view(domain="djangojs"), name="jsi18n"),
    path("language/", set_language, name="set_language"),
    path("admin/", admin.site.urls),
    path("", include("chatsite.accounts.urls")),
    path("", include("chatsite.chats.urls")),
]
