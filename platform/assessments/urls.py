"""The candidate's addresses."""

from __future__ import annotations

from django.urls import include, path

from assessments import api, views

urlpatterns = [
    path("", views.home, name="home"),
    path("t/<str:token>/", views.link, name="link"),
    path("leave/", views.leave, name="leave"),
    path("work/<uuid:pk>/", views.lobby, name="lobby"),
    path("work/<uuid:pk>/start/", views.start, name="start"),
    path("work/<uuid:pk>/preparing/", views.preparing, name="preparing"),
    path("work/<uuid:pk>/prepare-again/", views.prepare_again, name="prepare-again"),
    path("work/<uuid:pk>/ahead/", include("assessments.ahead.urls")),
    path("attempts/<uuid:pk>/", views.workspace, name="workspace"),
    path("attempts/<uuid:pk>/receipt/", views.receipt, name="receipt"),
    path("attempts/<uuid:pk>/kit/", views.take_home, name="kit"),
    path("api/attempts/<uuid:pk>/state", api.StateView.as_view(), name="attempt-state"),
    path("api/attempts/<uuid:pk>/drafts", api.DraftsView.as_view(), name="attempt-drafts"),
    path(
        "api/attempts/<uuid:pk>/drafts/<int:number>", api.DraftView.as_view(), name="attempt-draft"
    ),
    path("api/attempts/<uuid:pk>/runs", api.RunsView.as_view(), name="attempt-runs"),
    path("api/attempts/<uuid:pk>/runs/<uuid:run>", api.RunView.as_view(), name="attempt-run"),
    path(
        "api/attempts/<uuid:pk>/runs/<uuid:run>/stop",
        api.StopView.as_view(),
        name="attempt-run-stop",
    ),
    path("api/attempts/<uuid:pk>/room/", include("assessments.material_urls")),
    path("api/attempts/<uuid:pk>/submit", api.SubmitView.as_view(), name="attempt-submit"),
]
