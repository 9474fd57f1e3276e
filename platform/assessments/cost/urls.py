"""Addresses of the cost exercise's workspace, below the room's."""

from __future__ import annotations

from django.urls import path

from assessments.cost import api

urlpatterns = [
    path("bill/tables", api.TablesView.as_view(), name="room-bill-tables"),
    path("bill/values", api.ValuesView.as_view(), name="room-bill-values"),
    path("bill/pivot", api.PivotView.as_view(), name="room-bill-pivot"),
    path("bill/sql", api.SqlView.as_view(), name="room-bill-sql"),
    path("bill/lines", api.LinesView.as_view(), name="room-bill-lines"),
]
