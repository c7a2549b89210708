"""MCP servers in the admin. Environment and headers are written, never shown again."""

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from chatsite.tools.models import McpServer


class McpServerForm(forms.ModelForm):  # type: ignore[type-arg]
    """`words`: NAME=value lines, for the environment of a command or the headers of an address."""

    words = forms.CharField(
        label=_("Environment or headers"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 4, "autocomplete": "off"}),
        help_text=_("NAME=value, one a line; stored encrypted. Empty: what is stored stays."),
    )
    forget = forms.BooleanField(label=_("Remove the stored environment or headers"), required=False)

    class Meta:
        model = McpServer
        fields = ("name", "enabled", "command", "args", "url", "seconds")

    def clean_words(self) -> dict[str, str]:
        """The lines as names and values."""
        found = {}
        for line in self.cleaned_data["words"].splitlines():
            name, sign, value = line.partition("=")
            if line.strip() and (not sign or not name.strip()):
                raise forms.ValidationError(_("Write each line as NAME=value."))
            if line.strip():
                found[name.strip()] = value.strip()
        return found

    def clean(self) -> dict[str, Any]:
        """Exactly one of command and address."""
        data = super().clean() or {}
        if bool(data.get("command")) == bool(data.get("url")):
            raise forms.ValidationError(_("Give either a command or an address."))
        return data


@admin.register(McpServer)
class McpServerAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    form = McpServerForm
    list_display = ("name", "enabled", "command", "url")

    def save_model(self, request: HttpRequest, obj: McpServer, form: McpServerForm, change: bool) -> None:
        """Seal what was written."""
        if form.cleaned_data["words"] or form.cleaned_data["forget"]:
            obj.set_words(form.cleaned_data["words"])
        super().save_model(request, obj, form, change)
