"""An answer to HEAD is that of GET without its body.

Daphne leaves out only the first piece of a body: the next pieces of a long page would be taken for the answer
to the next request on the connection.
"""

from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.utils.deprecation import MiddlewareMixin


class HeadMiddleware(MiddlewareMixin):
    """Stands first, so that every header is there already, the length of the body too."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Drop the body."""
        if request.method == "HEAD":
            if isinstance(response, StreamingHttpResponse):
                response.streaming_content = ()
            else:
                response.content = b""  # type: ignore[attr-defined]
        return response
