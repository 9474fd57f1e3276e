"""The candidate's addresses."""

from __future__ import annotations

from django.urls import include, path

from assessments import api, views
from assessments.afterwards import views as afterwards
from assessments.enquiries.api import EnquiriesView
from assessments.own_work import views as own_work

urlpatterns = [
    path("", views.home, name="home"),
    path("t/<str:token>/", views.link, name="link"),
    path("leave/", views.leave, name="leave"),
    path("work/<uuid:pk>/", views.lobby, name="lobby"),
    path("work/<uuid:pk>/language/", views.language, name="language"),
    path("work/<uuid:pk>/start/", views.start, name="start"),
    path("work/<uuid:pk>/preparing/", views.preparing, name="preparing"),
    path("work/<uuid:pk>/prepare-again/", views.prepare_again, name="prepare-again"),
    path("work/<uuid:pk>/ahead/", include("assessments.ahead.urls")),
    path("work/<uuid:pk>/practice/", include("assessments.practice.urls")),
    path("work/<uuid:pk>/interview/", include("assessments.sitting.urls")),
    path("work/<uuid:pk>/questions/example/", own_work.try_one, name="own-work-example"),
    path("attempts/<uuid:pk>/questions/", include("assessments.own_work.urls")),
    path("attempts/<uuid:pk>/", views.workspace, name="workspace"),
    path("attempts/<uuid:pk>/receipt/", views.receipt, name="receipt"),
    path("attempts/<uuid:pk>/answer/", afterwards.answer, name="answer"),
    path("attempts/<uuid:pk>/answer/zip", afterwards.download, name="answer-zip"),
    path("attempts/<uuid:pk>/afterwards/", afterwards.say, name="afterwards"),
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
    path("api/attempts/<uuid:pk>/enquiries", EnquiriesView.as_view(), name="attempt-enquiries"),
    path("api/attempts/<uuid:pk>/assistant/", include("assessments.assistant.urls")),
    path("api/attempts/<uuid:pk>/room/", include("assessments.material_urls")),
    path("api/attempts/<uuid:pk>/submit", api.SubmitView.as_view(), name="attempt-submit"),
]
