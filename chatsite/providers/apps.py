"""Makes the room a Django app, so that its management commands are found."""

from django.apps import AppConfig


class ProvidersConfig(AppConfig):
    """No models: upstreams come from the environment."""

    name = "chatsite.providers"
    label = "providers"
