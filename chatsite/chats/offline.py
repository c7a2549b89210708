"""What the browser shows without a network: one page that says so. It keeps nothing of a conversation."""

import hashlib

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.views.decorators.http import require_safe

STYLES = ("css/tokens.css", "css/base.css", "css/controls.css", "css/plain.css")


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """The page itself, the same for everybody; in the language of whoever installs the worker."""
    return render(request, "offline.html")


@require_safe
def worker(request: HttpRequest) -> HttpResponse:
    """The service worker. It changes when a style of the page does, so that the cache is filled anew."""
    files = ["/offline/", *(static(name) for name in STYLES), static("icons/icon-192.png")]
    name = "offline-" + hashlib.sha256(" ".join(files).encode()).hexdigest()[:12]
    context = {"name": name, "files": files}
    response = render(request, "worker.js", context, content_type="text/javascript")
    response["Cache-Control"] = "no-cache"
    return response
