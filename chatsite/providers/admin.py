"""Upstreams and prices in the admin. A key goes in and never comes out again."""

from typing import Any

from django import forms
from django.contrib import admin
from django.urls import URLPattern, path
from django.utils.translation import gettext_lazy as _

from chatsite.providers.models import Price, StoredUpstream
from chatsite.providers.trial import test_upstream
from chatsite.sealed import CannotOpen


class UpstreamForm(forms.ModelForm):  # type: ignore[type-arg]
    """The row with a box for a new key; what is stored is not shown."""

    key = forms.CharField(
        label=_("Key"),
        required=False,
        strip=True,
        widget=forms.PasswordInput(attrs={"autocomplete": "off", "class": "vTextField"}),
    )
    forget_key = forms.BooleanField(label=_("Remove the stored key"), required=False)

    class Meta:
        model = StoredUpstream
        fields = ("name", "kind", "base_url", "key", "forget_key", "models", "enabled", "default")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["key"].help_text = KEY_STATES[key_state(self.instance)]

    def save(self, commit: bool = True) -> Any:
        """Seal a new key into the row; an empty box keeps the old one."""
        if self.cleaned_data["forget_key"]:
            self.instance.set_key("")
        if self.cleaned_data["key"]:
            self.instance.set_key(self.cleaned_data["key"])
        return super().save(commit)


KEY_STATES = {
    "none": _("None is stored. Servers without keys need none."),
    "stored": _("One is stored; it is never shown. Leave this empty to keep it."),
    "unreadable": _("The stored key cannot be opened, because SECRET_KEY has changed. Enter it again."),
}


def key_state(row: StoredUpstream) -> str:
    """One of KEY_STATES."""
    if not row.sealed_key:
        return "none"
    try:
        row.key()
    except CannotOpen:
        return "unreadable"
    return "stored"


@admin.register(StoredUpstream)
class UpstreamAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    form = UpstreamForm
    list_display = ("name", "kind", "base_url", "key_stored", "enabled", "default")

    @admin.display(boolean=True, description=_("key"))
    def key_stored(self, row: StoredUpstream) -> bool | None:
        """Yes, no key, or None for one that cannot be opened."""
        return {"stored": True, "none": False, "unreadable": None}[key_state(row)]

    def get_urls(self) -> list[URLPattern]:
        """The button's address beside the usual ones; the view asks for the permission itself."""
        return [path("<int:pk>/test/", test_upstream, name="test_upstream"), *super().get_urls()]


@admin.register(Price)
class PriceAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ("model", "currency", "input", "output", "cache_read", "cache_write", "window")
