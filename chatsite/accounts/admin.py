"""Users in the admin, with links that invite them."""

from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from chatsite.accounts import entry
from chatsite.accounts.models import User


@admin.register(User)
class InvitingUserAdmin(UserAdmin):  # type: ignore[type-arg]
    """Django's own, and one action more: whoever may change users may let them in."""

    actions = ("invite",)

    @admin.action(description=_("Make links that let them in, once, within a day"), permissions=["change"])
    def invite(self, request: HttpRequest, users: QuerySet[User]) -> None:
        """Show a fresh link for each active user; it is not kept anywhere."""
        for user in users:
            if not user.is_active or (user.is_superuser and not request.user.is_superuser):
                refused = gettext("No link for %(name)s: the user is not active, or an administrator.")
                self.message_user(request, refused % {"name": user.username}, messages.WARNING)
                continue
            link = request.build_absolute_uri(reverse("enter", args=[entry.make(user)]))
            self.message_user(
                request,
                gettext("Link for %(name)s: %(link)s") % {"name": user.username, "link": link},
                messages.SUCCESS,
            )
