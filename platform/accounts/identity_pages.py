"""The two addresses of signing in through an identity provider: leave for it, and come back."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts import identity_provider as provider

NEXT = "identity_provider_next"


@never_cache
@require_safe
def leave(request: HttpRequest) -> HttpResponse:
    """Send the person to the provider; 404 where none is set."""
    if not provider.is_on():
        raise Http404
    request.session[NEXT] = request.GET.get("next", "")
    back = settings.SITE_URL + reverse("admin:identity-provider-back")
    try:
        response: HttpResponse = provider.leave_for_provider(request, back)
    except provider.NotSignedIn as error:
        return _to_sign_in(request, str(error))
    return response


@never_cache
@require_safe
def come_back(request: HttpRequest) -> HttpResponse:
    """Sign in whoever the provider vouches for; anybody else reads one sentence on the sign-in page."""
    if not provider.is_on():
        raise Http404
    asked = str(request.session.pop(NEXT, ""))
    try:
        claims = provider.claims_of(request)
        user = provider.account_of(claims, now=timezone.now())
    except provider.NotSignedIn as error:
        return _to_sign_in(request, str(error))
    login(request, user, backend=provider.BACKEND)
    own = url_has_allowed_host_and_scheme(asked, {request.get_host()}, request.is_secure())
    return HttpResponseRedirect(asked if own else reverse("admin:index"))


def _to_sign_in(request: HttpRequest, sentence: str) -> HttpResponse:
    messages.error(request, sentence)
    return HttpResponseRedirect(reverse("admin:login"))
