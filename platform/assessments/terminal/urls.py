"""Addresses of the terminal, below the room's `terminal/`."""

from __future__ import annotations

from django.urls import path

from assessments.terminal import api

urlpatterns = [
    path("state", api.StateView.as_view(), name="terminal-state"),
    path("start", api.StartView.as_view(), name="terminal-start"),
    path("exchange", api.ExchangeView.as_view(), name="terminal-exchange"),
    path("help", api.HelpView.as_view(), name="terminal-help"),
]
