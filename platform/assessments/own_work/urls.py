"""Addresses of the questions about one's own answer, below its attempt."""

from __future__ import annotations

from django.urls import path

from assessments.own_work import views

urlpatterns = [
    path("", views.page, name="own-work"),
    path("state", views.state, name="own-work-state"),
    path("begin", views.begin, name="own-work-begin"),
    path("save", views.save, name="own-work-save"),
    path("hand-in", views.hand_in, name="own-work-hand-in"),
]
