"""Addresses of the assistant, below an attempt's API."""

from __future__ import annotations

from django.urls import path

from assessments.assistant import api

urlpatterns = [
    path("", api.TalkView.as_view(), name="attempt-assistant"),
    path("<uuid:turn>", api.TurnView.as_view(), name="attempt-assistant-turn"),
    path("<uuid:turn>/stop", api.StopView.as_view(), name="attempt-assistant-stop"),
]
