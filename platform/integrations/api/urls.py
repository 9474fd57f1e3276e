"""Addresses of the API, below /api/v1/."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path
from rest_framework.routers import SimpleRouter

from integrations.api import hiring_views, other_views, work_views
from integrations.api.base import Resource
from integrations.api.schema import schema

RESOURCES: tuple[type[Resource], ...] = (
    hiring_views.Openings,
    hiring_views.Candidates,
    hiring_views.Invitations,
    work_views.Attempts,
    work_views.Submissions,
    work_views.Gradings,
    work_views.Scorecards,
    other_views.Questions,
    other_views.Webhooks,
    other_views.Deliveries,
    other_views.Audit,
)


def api_urls() -> list[URLPattern | URLResolver]:
    router = SimpleRouter(trailing_slash=False, use_regex_path=False)
    for resource in RESOURCES:
        router.register(resource.resource, resource, basename=resource.resource)
    return [path("schema", schema, name="schema"), path("", include(router.urls))]
