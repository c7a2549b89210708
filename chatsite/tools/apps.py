"""The room as a Django app: its tables and its part of the admin."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ToolsConfig(AppConfig):
    """Tools that the product brings, and those of MCP servers."""

    name = "chatsite.tools"
    label = "tools"
    verbose_name = _("Tools")
    default_auto_field = "django.db.models.BigAutoField"
