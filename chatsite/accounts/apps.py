"""Users and how they get in."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "chatsite.accounts"
    default_auto_field = "django.db.models.BigAutoField"
