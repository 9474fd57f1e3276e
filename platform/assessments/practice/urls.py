"""Addresses of the practice room, below the candidate's overview."""

from __future__ import annotations

from django.urls import path

from assessments.practice import views

urlpatterns = [
    path("", views.page, name="practice"),
    path("begin/", views.begin, name="practice-begin"),
    path("moment", views.moment, name="practice-moment"),
]
