"""Ways in and out."""

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path

from chatsite.accounts import preferences
from chatsite.accounts.views import enter

urlpatterns = [
    path("enter/<str:token>", enter, name="enter"),
    path(
        "login/",
        LoginView.as_view(template_name="accounts/login.html", redirect_authenticated_user=True),
        name="login",
    ),
    path("preferences/", preferences.change, name="preferences"),
    path("logout/", LogoutView.as_view(), name="logout"),
]
