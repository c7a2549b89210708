"""How one conversation is answered: thinking, system prompt, temperature, length, tools of the provider.

What is empty is as usual. A value that no model could take is refused by the name of its field; what only
some models do not take is left out of their requests (providers/), and the dialog says so beforehand.
"""

from typing import Any
from uuid import UUID

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from chatsite.chats.models import Conversation
from chatsite.chats.owned import own
from chatsite.providers.prompt import EFFORTS, OFF, SERVER_TOOLS

FIELDS = ("effort", "system_prompt", "temperature", "max_tokens", "server_tools")
LONGEST_PROMPT = 20_000


class SettingsForm(forms.ModelForm):  # type: ignore[type-arg]
    effort = forms.ChoiceField(required=False, choices=[(word, word) for word in ("", OFF, *EFFORTS)])
    system_prompt = forms.CharField(required=False, max_length=LONGEST_PROMPT, strip=True)
    temperature = forms.FloatField(required=False, min_value=0, max_value=2)
    max_tokens = forms.IntegerField(required=False, min_value=16, max_value=1_000_000)
    server_tools = forms.MultipleChoiceField(required=False, choices=[(word, word) for word in SERVER_TOOLS])

    class Meta:
        model = Conversation
        fields = FIELDS


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def settings(request: HttpRequest, conversation_id: UUID) -> HttpResponse:
    """GET: the values as JSON. POST: store the form, 204, or 400 with {"fields": [names not valid]}."""
    found = own(request, conversation_id)
    if request.method != "POST":
        return JsonResponse(_values(found))
    form = SettingsForm(request.POST, instance=found)
    if not form.is_valid():
        return JsonResponse({"fields": sorted(form.errors)}, status=400)
    Conversation.objects.filter(id=found.id).update(**{name: form.cleaned_data[name] for name in FIELDS})
    return HttpResponse(status=204)


def _values(found: Conversation) -> dict[str, Any]:
    return {name: getattr(found, name) for name in FIELDS}
