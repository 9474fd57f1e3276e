"""All addresses: staff under /admin/, candidates by their link, three for whoever watches."""

from __future__ import annotations

from django.contrib import admin
from django.templatetags.static import static
from django.urls import include, path
from django.views.generic import RedirectView

from accounts.password_reset import reset_urls
from headnode.health import healthz, readyz
from headnode.language import script_words
from headnode.metrics.page import metrics
from integrations.api.urls import api_urls
from integrations.provisioning.urls import scim_urls
from integrations.urls import tracking_urls
from reviews.decisions.pages.shared_report import shared
from reviews.fairness.pages.about_you import about_you
from reviews.privacy.pages.own_data import copy, your_data

urlpatterns = [
    path("admin/", admin.site.urls),
    path("password/", include(reset_urls())),
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
    path("favicon.ico", RedirectView.as_view(url=static("headnode/icon.svg"))),
    path("words.js", script_words, name="script-words"),
    path("report/<str:token>/", shared, name="shared-report"),
    path("work/<uuid:pk>/your-data/", your_data, name="your-data"),
    path("work/<uuid:pk>/your-data/copy", copy, name="your-data-copy"),
    path("work/<uuid:pk>/about-you/", about_you, name="about-you"),
    path("api/v1/", include((api_urls(), "api"))),
    path("scim/v2/", include((scim_urls(), "scim"))),
    path("integrations/", include((tracking_urls(), "tracking"))),
    path("", include("assessments.urls")),
]

handler400 = "headnode.errors.bad_request"
handler403 = "headnode.errors.forbidden"
handler404 = "headnode.errors.not_found"
handler500 = "headnode.errors.failed"
