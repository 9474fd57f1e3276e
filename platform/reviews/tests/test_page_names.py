"""Who saw what is told in words, never by an address's name."""

from __future__ import annotations

from django.contrib import admin

from reviews.page_names import called
from reviews.urls import staff_urls


def test_every_page_about_an_attempt_has_words() -> None:
    about = [url for url in staff_urls(admin.site) if str(url.pattern).startswith("attempts/<uuid")]
    names = {url.name or "" for url in about}
    assert len(names) > 30
    assert [name for name in names if called(name) == name.replace("-", " ")] == []
