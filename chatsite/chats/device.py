"""What the page needs to run models itself: where MediaPipe's files are, and the worker that may run them.

WebAssembly is allowed in that worker and nowhere else: the worker's script has a policy of its own, and the
page's policy stays as it is.
"""

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.contrib.staticfiles import finders
from django.http import HttpRequest, HttpResponse
from django.templatetags.static import static
from django.urls import reverse
from django.views.decorators.http import require_safe

FILES = {
    "library": "mediapipe/genai_bundle.mjs",
    "loader": "mediapipe/genai_wasm_module_internal.mjs",
    "binary": "mediapipe/genai_wasm_module_internal.wasm",
}
WORKER = "js/models/mediapipe-worker.js"


def config() -> dict[str, Any]:
    """{"mediapipe": None}, or the addresses that its adapter takes, once the library was fetched."""
    if any(finders.find(path) is None for path in FILES.values()):
        return {"mediapipe": None}
    found = {name: static(path) for name, path in FILES.items()}
    return {
        "mediapipe": {
            **found,
            "worker": reverse("device_worker"),
            "model_url": settings.MEDIAPIPE_MODEL_URL,
        }
    }


@require_safe
@login_required
def worker(request: HttpRequest) -> HttpResponse:
    """The script of the worker: it imports the real one, under a policy that allows WebAssembly."""
    response = HttpResponse(f'import "{static(WORKER)}";\n', content_type="text/javascript")
    model = urlsplit(settings.MEDIAPIPE_MODEL_URL)
    connect = f"'self' {model.scheme}://{model.netloc}" if model.netloc else "'self'"
    response["Content-Security-Policy"] = (
        f"default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src {connect}"
    )
    return response
