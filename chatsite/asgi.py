"""The ASGI application: Django for HTTP, the consumer for the one socket path."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "chatsite.settings")

from django.core.asgi import get_asgi_application

django_app = get_asgi_application()

from channels.routing import ProtocolTypeRouter  # noqa: E402

from chatsite.routing import sockets  # noqa: E402

application = ProtocolTypeRouter({"http": django_app, "websocket": sockets})
