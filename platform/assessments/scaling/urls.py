"""Addresses of the scaling plan's workspace, below the room's."""

from __future__ import annotations

from django.urls import path

from assessments.api import StopView
from assessments.scaling import checking, what_ifs

urlpatterns = [
    path("checks", checking.ChecksView.as_view(), name="plan-checks"),
    path("what-ifs", what_ifs.WhatIfsView.as_view(), name="plan-what-ifs"),
    path("what-ifs/<uuid:run>", what_ifs.WhatIfView.as_view(), name="plan-what-if"),
    path("what-ifs/<uuid:run>/stop", StopView.as_view(), name="plan-what-if-stop"),
]
