"""Addresses of tracking systems below /integrations/, and of the staff's pages about it below /admin/."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import URLPattern, path

from integrations.inbound import ashby, greenhouse, lever
from integrations.pages import deliveries, tokens, tracking, webhooks

if TYPE_CHECKING:
    from django.contrib.admin import AdminSite


def tracking_urls() -> list[URLPattern]:
    at, of = "greenhouse/", "ashby/assessment."
    return [
        path(at + "list_tests", greenhouse.list_tests, name="greenhouse-list-tests"),
        path(at + "send_test", greenhouse.send_test, name="greenhouse-send-test"),
        path(at + "test_status", greenhouse.test_status, name="greenhouse-test-status"),
        path(at + "response_error", greenhouse.response_error, name="greenhouse-response-error"),
        path(of + "list", ashby.list_assessments, name="ashby-list"),
        path(of + "start", ashby.start, name="ashby-start"),
        path(of + "cancel", ashby.cancel, name="ashby-cancel"),
        path("lever/<slug:key>", lever.stage_change, name="lever-stage-change"),
    ]


def integration_urls(site: AdminSite) -> list[URLPattern]:
    """Each page checks permission itself; the site only asks for a sign-in."""
    page, hook = site.admin_view, "webhooks/<row:pk>/"
    return [
        path("api-tokens/", page(tokens.all_tokens), name="api-tokens"),
        path("api-tokens/make/", page(tokens.make), name="api-token-make"),
        path("api-tokens/<row:pk>/revoke/", page(tokens.revoke), name="api-token-revoke"),
        path("webhooks/", page(webhooks.all_webhooks), name="webhooks"),
        path("webhooks/make/", page(webhooks.make), name="webhook-make"),
        path(hook, page(webhooks.webhook), name="webhook"),
        path(hook + "change/", page(webhooks.change), name="webhook-change"),
        path(hook + "secret/", page(webhooks.renew_secret), name="webhook-secret"),
        path(hook + "stop/", page(webhooks.stop), name="webhook-stop"),
        path("webhooks/deliveries/<uuid:pk>/", page(deliveries.delivery), name="delivery"),
        path("webhooks/deliveries/<uuid:pk>/again/", page(deliveries.again), name="delivery-again"),
        path("tracking/", page(tracking.all_connections), name="tracking"),
        path("tracking/make/", page(tracking.make), name="tracking-make"),
        path("tracking/<row:pk>/", page(tracking.connection), name="tracking-connection"),
        path("tracking/<row:pk>/end/", page(tracking.end), name="tracking-end"),
    ]
