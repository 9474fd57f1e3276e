"""A new password by mail, for those who know the address of their account; slowed down like guessing."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth import views
from django.contrib.auth.forms import PasswordResetForm
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path
from django.utils import timezone

from accounts.sign_in import MOST_TRIES, address_of, count_try


class AskForLink(views.PasswordResetView):
    """Says the same whether there is such an account or not, and mails nobody ten times."""

    extra_email_context = {"site_url": settings.SITE_URL, "organisation": settings.ORGANISATION}

    def form_valid(self, form: PasswordResetForm) -> HttpResponse:
        name = f"reset {form.cleaned_data['email']}"
        address = address_of(self.request)
        if count_try(name, address, timezone.now(), per_name=MOST_TRIES) is None:
            return HttpResponseRedirect(str(self.get_success_url()))
        return super().form_valid(form)


def reset_urls() -> list[URLPattern]:
    """Below /password/; Django's own pages lead to each other by these names."""
    return [
        path("", AskForLink.as_view(), name="admin_password_reset"),
        path("sent/", views.PasswordResetDoneView.as_view(), name="password_reset_done"),
        path(
            "<uidb64>/<token>/",
            views.PasswordResetConfirmView.as_view(),
            name="password_reset_confirm",
        ),
        path("set/", views.PasswordResetCompleteView.as_view(), name="password_reset_complete"),
    ]
