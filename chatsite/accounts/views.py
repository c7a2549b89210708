"""The one-time door. Login and logout are Django's own."""

from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from chatsite.accounts import entry

BACKEND = "django.contrib.auth.backends.ModelBackend"


@require_safe
@never_cache
def enter(request: HttpRequest, token: str) -> HttpResponse:
    """Let the holder of a fresh token in; a used one leads to the login page, or home when already inside."""
    if request.method == "HEAD":
        # A link checker must neither use the token up nor bring it into the log of refused methods.
        return HttpResponse()
    user = entry.take(token)
    if user is not None:
        login(request, user, backend=BACKEND)
        return redirect("home")
    if request.user.is_authenticated:
        return redirect("home")
    return render(request, "accounts/login.html", {"form": None, "token_spent": True}, status=403)
