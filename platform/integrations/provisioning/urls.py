"""Addresses of SCIM, below /scim/v2/."""

from __future__ import annotations

from django.urls import URLPattern, path

from integrations.provisioning import described, views


def scim_urls() -> list[URLPattern]:
    types = views.Described.as_view(rows=described.resource_types)
    schemas = views.Described.as_view(rows=described.schemas)
    return [
        path("Users", views.Users.as_view(), name="users"),
        path("Users/<str:key>", views.OneUser.as_view(), name="user"),
        path("ServiceProviderConfig", views.Provider.as_view(), name="provider"),
        path("ResourceTypes", types, name="resource-types"),
        path("ResourceTypes/<str:key>", types, name="resource-type"),
        path("Schemas", schemas, name="schemas"),
        path("Schemas/<str:key>", schemas, name="schema"),
    ]
