"""Ways in and out."""

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path

from chatsite.accounts import preferences, prompts
from chatsite.accounts.views import enter

urlpatterns = [
    path("enter/<str:token>", enter, name="enter"),
    path(
        "login/",
        LoginView.as_view(template_name="accounts/login.html", redirect_authenticated_user=True),
        name="login",
    ),
    path("preferences/", preferences.change, name="preferences"),
    path("prompts/", prompts.prompts, name="prompts"),
    path("prompts/<int:prompt_id>/", prompts.change, name="prompt"),
    path("prompts/<int:prompt_id>/delete/", prompts.delete, name="prompt_delete"),
    path("logout/", LogoutView.as_view(), name="logout"),
]
