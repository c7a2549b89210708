"""Where a socket may come from: the page's own origin, compared whole (scheme, host and port). Pure but for
settings.

Browsers send cookies with sockets from any page, and no same-origin rule stops them; this check does.
"""

from django.conf import settings
from django.http.request import split_domain_port, validate_host


def allowed(headers: list[tuple[bytes, bytes]], secure: bool) -> bool:
    """True when the Origin header is PUBLIC_URL's origin or, without PUBLIC_URL, that of the host asked
    for.
    """
    named = {name: value.decode("latin-1") for name, value in headers}
    origin, host = named.get(b"origin", ""), named.get(b"host", "")
    if settings.PUBLIC_ORIGIN:
        return origin == settings.PUBLIC_ORIGIN
    if not validate_host(split_domain_port(host)[0], settings.ALLOWED_HOSTS):
        return False
    return origin == f"{'https' if secure else 'http'}://{host}"
