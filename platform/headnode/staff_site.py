"""The staff's site: navigation by work instead of by app, a home page that says what waits for whom."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, URLResolver, path, reverse
from django.utils import timezone

from accounts import identity_pages, identity_provider, second_step, second_step_pages
from accounts.sign_in import SignInForm, finished
from accounts.staff_admin import viewer
from headnode.staff_places import PLACES, SETTINGS


class StaffSite(AdminSite):
    site_header = site_title = "Headnode"
    index_title = "My work"
    enable_nav_sidebar = False
    site_url = None
    empty_value_display = "–"
    login_form = SignInForm

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        context = super().each_context(request)
        context["places"] = self._places(request) if context["has_permission"] else []
        settings_page = reverse("admin:settings")
        context["of_settings"] = request.path != settings_page and any(
            place["current"] and place["url"] == settings_page for place in context["places"]
        )
        return context

    def _places(self, request: HttpRequest) -> list[dict[str, Any]]:
        below = request.path.removeprefix(reverse("admin:index"))
        return [
            {
                "label": place.label,
                "url": reverse(place.url_name),
                "current": below.startswith(place.starts) if place.starts else not below,
            }
            for place in PLACES
            if not place.permissions or any(map(request.user.has_perm, place.permissions))
        ]

    def get_urls(self) -> list[URLPattern | URLResolver]:
        from integrations.urls import integration_urls
        from reviews.urls import staff_urls

        own: list[URLPattern | URLResolver] = [
            path("identity-provider/", identity_pages.leave, name="identity-provider"),
            path(
                "identity-provider/back/",
                identity_pages.come_back,
                name="identity-provider-back",
            ),
            path("second-step/", second_step_pages.ask, name="second-step"),
            path("second-step/set-up/", second_step_pages.set_up, name="second-step-set-up"),
            path(
                "accounts/user/<row:pk>/second-step/",
                self.admin_view(second_step_pages.take_away),
                name="second-step-take-away",
            ),
            path("settings/", self.admin_view(self.settings_page), name="settings"),
        ]
        return [*own, *staff_urls(self), *integration_urls(self), *super().get_urls()]

    def index(self, request: HttpRequest, extra_context: Any = None) -> TemplateResponse:
        """What waits, for whoever is looking."""
        from reviews.names_seen import note_names
        from reviews.overview import first_steps
        from reviews.workload import waiting_for

        person, now = viewer(request), timezone.now()
        work = waiting_for(person, now)
        people = {row.names for section in work for row in section.rows if row.names}
        note_names(person, people, "home", now=now)
        begins = person.has_perm(first_steps.PERMISSION) and first_steps.is_new()
        context = {
            **self.each_context(request),
            "title": "My work",
            "duties": [section for section in work if not section.side],
            "news": [section for section in work if section.side and section.key != "boards"],
            "boards": [section for section in work if section.key == "boards"],
            "first_steps": first_steps.rows_for(person, now) if begins else [],
            **(extra_context or {}),
        }
        request.current_app = self.name
        return TemplateResponse(request, "admin/index.html", context)

    def app_index(
        self, request: HttpRequest, app_label: str, extra_context: Any = None
    ) -> TemplateResponse:
        """There are no pages by app: whoever types such an address finds their work."""
        return self.index(request)

    def has_permission(self, request: HttpRequest) -> bool:
        return super().has_permission(request) and not second_step.is_missing(request)

    def login(self, request: HttpRequest, extra_context: Any = None) -> Any:
        if request.method == "GET" and second_step.is_missing(request):
            query = request.GET.urlencode()
            return HttpResponseRedirect(f"{reverse('admin:second-step')}?{query}")
        context = {"identity_provider": settings.OIDC_LABEL if identity_provider.is_on() else ""}
        return finished(request, super().login(request, context | (extra_context or {})))

    def settings_page(self, request: HttpRequest) -> HttpResponse:
        user = viewer(request)
        groups = {
            title: [
                {"label": row.label, "url": reverse(row.url_name), "text": row.text}
                for row in rows
                if not row.permission or user.has_perm(row.permission)
            ]
            for title, rows in SETTINGS.items()
        }
        context = {**self.each_context(request), "title": "Settings", "groups": groups}
        return TemplateResponse(request, "admin/settings.html", context)
