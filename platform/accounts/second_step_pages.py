"""The pages of the second step: ask for a code, set an app up, take it away from somebody who lost it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts import second_step
from accounts.audit import note_action
from accounts.confirmed import Refused, Verb, confirm
from accounts.models import User
from accounts.sign_in import MOST_TRIES, TOO_MANY, address_of, count_try

WRONG = "That is not the code, or it was used before: wait for the next one and type that."


class CodeForm(forms.Form):
    code = forms.CharField(
        max_length=20,
        widget=forms.TextInput(
            attrs={"autocomplete": "one-time-code", "inputmode": "text", "autofocus": True}
        ),
    )


def _staff(request: HttpRequest) -> User | None:
    user: Any = request.user
    return user if user.is_authenticated and user.is_active and user.is_staff else None


def _onwards(request: HttpRequest) -> str:
    asked = request.POST.get("next") or request.GET.get("next") or ""
    own = url_has_allowed_host_and_scheme(asked, {request.get_host()}, request.is_secure())
    return asked if own else reverse("admin:index")


@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def ask(request: HttpRequest) -> HttpResponse:
    """Ask for the code of somebody whose password was right."""
    user = _staff(request)
    if user is None:
        return redirect_to_login(request.get_full_path(), reverse("admin:login"))
    if not second_step.has_one(user):
        return HttpResponseRedirect(reverse("admin:second-step-set-up"))
    if second_step.is_verified(request):
        return HttpResponseRedirect(_onwards(request))
    form, status = CodeForm(request.POST or None), 200
    if request.method == "POST":
        status = _check(request, user, form)
        if status == 302:
            return HttpResponseRedirect(_onwards(request))
    context = _context(request, "One more step") | {"form": form, "next": _onwards(request)}
    return render(request, "accounts/second_step.html", context, status=status)


def _check(request: HttpRequest, user: User, form: CodeForm) -> int:
    """302 where the code was right; 400 or 429, with the sentence in the form, where not."""
    if not form.is_valid():
        return 400
    # Whoever comes here knows the password: the bound holds for all their browsers together.
    name, address = f"code {user.username}", address_of(request)
    counted = count_try(name, address, timezone.now(), per_name=MOST_TRIES)
    if counted is None:
        form.add_error(None, TOO_MANY)
        return 429
    if second_step.verify(request, user, form.cleaned_data["code"]):
        counted.delete()
        return 302
    form.add_error("code", WRONG)
    return 400


@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def set_up(request: HttpRequest) -> HttpResponse:
    """Show the key, take a first code, then show the recovery codes once."""
    user = _staff(request)
    if user is None:
        return redirect_to_login(request.get_full_path(), reverse("admin:login"))
    if second_step.has_one(user) and not second_step.is_verified(request):
        return HttpResponseRedirect(reverse("admin:second-step"))
    device = second_step.begin(user)
    form, status = CodeForm(request.POST or None), 200
    if request.method == "POST":
        status = 400
        if form.is_valid():
            codes = second_step.confirm(request, user, device, form.cleaned_data["code"])
            if codes:
                note_action(user, user, "Set up the second step of signing in.")
                context = _context(request, "Your recovery codes") | {"codes": codes}
                return render(request, "accounts/recovery_codes.html", context)
            form.add_error("code", WRONG)
    context = _context(request, "Set up the second step") | second_step.shown(device)
    context |= {"form": form, "had_one": second_step.has_one(user)}
    return render(request, "accounts/second_step_set_up.html", context, status=status)


def _context(request: HttpRequest, title: str) -> dict[str, Any]:
    return {**admin.site.each_context(request), "title": title}


def _take_away(user: User, data: dict[str, Any], by: User, now: datetime) -> str:
    if not second_step.remove(user):
        raise Refused("This account has no second step.")
    return f"Took the second step of signing in away. Reason: {data['reason']}"


TAKE_AWAY = Verb(
    title="Take the second step away",
    explanation=(
        "For somebody who lost the phone and the recovery codes: make sure that it is they who ask. "
        "They sign in with the password, and set up a new one where their role must have one."
    ),
    button="Take it away",
    permission="accounts.change_user",
    perform=_take_away,
    grave=True,
)


def take_away(request: HttpRequest, pk: int) -> HttpResponse:
    user = get_object_or_404(User, pk=pk)
    back = reverse("admin:accounts_user_change", args=[user.pk])
    return confirm(request, user, TAKE_AWAY, back=back)
