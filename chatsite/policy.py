"""What the content security policy needs to know about one request: its own socket address, and the admin."""

from django.http import HttpRequest, HttpResponseBase
from django.utils.deprecation import MiddlewareMixin


class PolicyMiddleware(MiddlewareMixin):
    """Stands behind django-csp's middleware, which turns these marks into the header."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Name the socket's address (not every browser's 'self' covers it); spare the admin Trusted Types."""
        scheme = "wss" if request.is_secure() else "ws"
        response._csp_update = {"connect-src": [f"{scheme}://{request.get_host()}"]}  # type: ignore[attr-defined]
        if request.path_info.startswith("/admin/"):
            response._csp_replace = {"require-trusted-types-for": None, "trusted-types": None}  # type: ignore[attr-defined]
        return response
