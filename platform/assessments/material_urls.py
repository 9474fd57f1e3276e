"""Addresses of the room, below the attempt's own."""

from __future__ import annotations

from django.urls import include, path

from assessments import material_views
from assessments.cost import urls as bill
from assessments.troubleshooting import logs, metrics

urlpatterns = [
    path("manifest", material_views.ManifestView.as_view(), name="room-manifest"),
    path("logs", logs.LogsView.as_view(), name="room-logs"),
    path("files/<path:path>", material_views.FileView.as_view(), name="room-file"),
    path("terminal/", include("assessments.terminal.urls")),
    *metrics.urlpatterns,
    *bill.urlpatterns,
    path("cluster/", include("assessments.live_slurm.urls")),
    path("plan/", include("assessments.scaling.urls")),
]
