"""Addresses of the log of messages, their words, one's own mail and the result, below /admin/."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import URLPattern, path

from reviews.messages.pages import log, result, words

if TYPE_CHECKING:
    from django.contrib.admin import AdminSite


def message_urls(site: AdminSite) -> list[URLPattern]:
    page = site.admin_view
    of, edit = "openings/<row:pk>/messages/", "<slug:occasion>/"
    shared = "settings/messages/"
    return [
        path("messages/", page(log.log), name="messages"),
        path("messages/<row:pk>/", page(log.message), name="message"),
        path("messages/<row:pk>/again/", page(log.send_again), name="message-again"),
        path("my-mail/", page(log.my_mail), name="my-mail"),
        path(shared, page(words.all_words), name="message-words"),
        path(shared + edit, page(words.edit_words), name="message-words-edit"),
        path(of, page(words.all_words), name="opening-words"),
        path(of + edit, page(words.edit_words), name="opening-words-edit"),
        path("attempts/<uuid:pk>/decision/tell/", page(result.tell_result), name="decision-tell"),
    ]
