"""Addresses of the candidate's page of a live interview, below their overview."""

from __future__ import annotations

from django.urls import path

from assessments.sitting import views

urlpatterns = [
    path("", views.page, name="sitting"),
    path("state", views.state, name="sitting-state"),
    path("pad", views.pad, name="sitting-pad"),
]
