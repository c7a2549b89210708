"""The room as a Django app: its tables, its commands, its part of the admin."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ProvidersConfig(AppConfig):
    """Upstreams come from the environment and from the admin."""

    name = "chatsite.providers"
    label = "providers"
    verbose_name = _("Upstreams")
