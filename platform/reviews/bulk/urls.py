"""Addresses of what is done to many at once, below /admin/."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import URLPattern, path

from reviews.bulk.pages import invite, openings, people
from reviews.bulk.pages.acts import page_of
from reviews.bulk.pages.known_acts import ACTS

if TYPE_CHECKING:
    from django.contrib.admin import AdminSite


def bulk_urls(site: AdminSite) -> list[URLPattern]:
    page = site.admin_view
    of = "openings/<row:pk>/"
    acts = [
        path(f"{act.plural}/together/{act.key}/", page(page_of(act)), name=f"bulk-{act.key}")
        for act in ACTS
    ]
    return [
        path("candidates/add/", page(people.add_many), name="candidates-add-many"),
        path("invitations/together/", page(invite.invite_many), name="invite-many"),
        path(of + "evaluators/", page(openings.assign), name="opening-assign"),
        path(of + "extra-time/", page(openings.extra_time), name="opening-extra-time"),
        path(of + "results/", page(openings.results), name="opening-results"),
        path(of + "copy/", page(openings.copy), name="opening-copy"),
        *acts,
    ]
