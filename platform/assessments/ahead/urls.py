"""Addresses of what can be read ahead, below the candidate's overview."""

from __future__ import annotations

from django.urls import path

from assessments.ahead import views

urlpatterns = [
    path("<int:exercise>/", views.show, name="ahead"),
    path("<int:exercise>/<path:path>", views.file, name="ahead-file"),
]
