"""How a user likes the page: read for every page, changed from its settings."""

from django.contrib.auth.decorators import login_required
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_POST

from chatsite.accounts.models import Preferences

FIELDS = ("send_key", "thinking", "default_model", "system_prompt", "notifications", "model_titles")


def of(user_id: int) -> Preferences:
    """What the user chose, or the usual for somebody who chose nothing."""
    return Preferences.objects.filter(user_id=user_id).first() or Preferences(user_id=user_id)


class PreferencesForm(ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = Preferences
        fields = FIELDS


@require_POST
@login_required
def change(request: HttpRequest) -> HttpResponse:
    """Store the form: 204, or 400 with the names of the fields that are not valid."""
    assert request.user.pk is not None
    form = PreferencesForm(request.POST, instance=of(request.user.pk))
    if not form.is_valid():
        return JsonResponse({"fields": sorted(form.errors)}, status=400)
    form.save()
    return HttpResponse(status=204)
