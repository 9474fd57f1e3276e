"""Addresses of the live cluster, below the room's `cluster/`."""

from __future__ import annotations

from django.urls import path

from assessments.api import RunView, StopView
from assessments.live_slurm import checks, standing

urlpatterns = [
    path("standing", standing.StandingView.as_view(), name="cluster-standing"),
    path("shell", standing.ShellView.as_view(), name="cluster-shell"),
    path("checks", checks.ChecksView.as_view(), name="cluster-checks"),
    path("checks/<uuid:run>", RunView.as_view(), name="cluster-check"),
    path("checks/<uuid:run>/stop", StopView.as_view(), name="cluster-check-stop"),
]
