"""All addresses: staff under /admin/, candidates by their link, /healthz for whoever watches."""

from __future__ import annotations

from django.contrib import admin
from django.templatetags.static import static
from django.urls import include, path
from django.views.generic import RedirectView

from accounts.password_reset import reset_urls
from headnode.health import healthz
from reviews.fairness.pages.about_you import about_you

urlpatterns = [
    path("admin/", admin.site.urls),
    path("password/", include(reset_urls())),
    path("healthz", healthz, name="healthz"),
    path("favicon.ico", RedirectView.as_view(url=static("headnode/icon.svg"))),
    path("work/<uuid:pk>/about-you/", about_you, name="about-you"),
    path("", include("assessments.urls")),
]

handler400 = "headnode.errors.bad_request"
handler403 = "headnode.errors.forbidden"
handler404 = "headnode.errors.not_found"
handler500 = "headnode.errors.failed"
