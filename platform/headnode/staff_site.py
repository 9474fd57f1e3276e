"""The staff's site: navigation by work instead of by app, a home page that says what waits for whom."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.conf import settings
from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, URLResolver, path, reverse
from django.utils import timezone

from accounts import identity_pages, identity_provider, second_step, second_step_pages
from accounts.sign_in import SignInForm, finished
from accounts.staff_admin import viewer


class Place(NamedTuple):
    """One entry of the navigation: shown to whoever holds one of the permissions."""

    label: str
    url_name: str
    starts: tuple[str, ...]  # paths below /admin/ that belong to it
    permissions: tuple[str, ...] = ()


PLACES = (
    Place("My work", "admin:index", ()),
    Place(
        "Openings",
        "admin:hiring_opening_changelist",
        ("hiring/opening/", "hiring/exercise/", "openings/"),
        ("hiring.view_opening",),
    ),
    Place(
        "Invitations",
        "admin:hiring_invitation_changelist",
        ("hiring/invitation/", "invitations/"),
        ("hiring.view_invitation",),
    ),
    Place(
        "Candidates",
        "admin:hiring_candidate_changelist",
        ("hiring/candidate/", "candidates/", "decisions/"),
        ("hiring.view_candidate",),
    ),
    Place(
        "Attempts",
        "admin:assessments_attempt_changelist",
        ("assessments/", "attempts/", "enquiries/"),
        ("assessments.view_attempt",),
    ),
    Place(
        "Question bank",
        "admin:library_question_changelist",
        ("library/question/", "question-sets/"),
        ("library.view_question",),
    ),
    Place(
        "Interviews",
        "admin:interviews",
        ("interviews/",),
        ("reviews.view_interviewsession", "reviews.add_interviewsession"),
    ),
    Place(
        "Settings",
        "admin:settings",
        (
            "settings/",
            "accounts/",
            "auth/",
            "admin/",
            "messages/",
            "my-mail/",
            "report-links/",
            "library/rubric/",
            "library/packversion/",
            "library/companyprofile/",
            "hiring/sighting/",
            "calibration/",
            "reliability/",
            "exercises/",
            "trials/",
            "api-tokens/",
            "webhooks/",
            "tracking/",
        ),
        ("library.view_packversion",),
    ),
)
SETTINGS = (
    (
        "First steps",
        "admin:first-steps",
        "hiring.add_opening",
        "From an empty site to the first invitation, and how far yours is.",
    ),
    (
        "Staff",
        "admin:accounts_user_changelist",
        "accounts.view_user",
        "Who may sign in, and in which role.",
    ),
    (
        "Roles",
        "admin:auth_group_changelist",
        "auth.view_group",
        "What each role may see and do.",
    ),
    (
        "Rubrics",
        "admin:library_rubric_changelist",
        "library.view_rubric",
        "Criteria with five described levels, by exercise and seniority.",
    ),
    (
        "Calibration",
        "admin:calibration",
        "reviews.add_calibrationcard",
        "Exemplar answers to score blind, and how far off one is.",
    ),
    (
        "Reliability",
        "admin:reliability",
        "reviews.study_evaluation",
        "How alike evaluators see the same work, by criterion and by person.",
    ),
    (
        "Exercises",
        "admin:catalogue",
        "library.view_packversion",
        "What can be asked of candidates: briefs, minutes, measures, a sample; and trials of your own.",
    ),
    (
        "Scenario packs",
        "admin:library_packversion_changelist",
        "library.view_packversion",
        "The exercises that can be used, in their versions.",
    ),
    (
        "Company profiles",
        "admin:library_companyprofile_changelist",
        "library.view_companyprofile",
        "The clusters that exercises are about: nodes, prices, teams, growth.",
    ),
    (
        "Messages",
        "admin:messages",
        "hiring.view_message",
        "What was sent to whom, what waits, and what a mail server refused.",
    ),
    (
        "Your mail",
        "admin:my-mail",
        "",
        "Single messages or one a day, and the time zone that they say times in.",
    ),
    (
        "Words of messages",
        "admin:message-words",
        "hiring.view_messagewords",
        "What people read when they are invited, reminded, assigned, answered.",
    ),
    (
        "Shared reports",
        "admin:report-links",
        "reviews.view_reportlink",
        "Links by which people without an account read a report, and when they did.",
    ),
    (
        "Questions of candidates",
        "admin:enquiries",
        "assessments.view_enquiry",
        "What candidates ask while they work or about their feedback, and what was answered.",
    ),
    (
        "Retention",
        "admin:retention",
        "hiring.erase_candidate",
        "How long candidates' data is kept, what is due, and what went.",
    ),
    (
        "Adverse impact",
        "admin:adverse-impact",
        "reviews.view_selfdescription",
        "Whether groups of candidates are selected at different rates, from voluntary answers.",
    ),
    (
        "Who saw whom",
        "admin:hiring_sighting_changelist",
        "hiring.view_sighting",
        "Who of the staff opened which page about a candidate.",
    ),
    (
        "Audit trail",
        "admin:admin_logentry_changelist",
        "admin.view_logentry",
        "Everything that staff did, newest first.",
    ),
    (
        "API tokens",
        "admin:api-tokens",
        "integrations.view_apitoken",
        "What programs may read and do, in whose name, and until when.",
    ),
    (
        "Webhooks",
        "admin:webhooks",
        "integrations.view_webhook",
        "Addresses that are told what happens, and what became of each message to them.",
    ),
    (
        "Tracking systems",
        "admin:tracking",
        "integrations.view_connection",
        "Greenhouse, Ashby and Lever: they order exercises and hear what came of them.",
    ),
)


class StaffSite(AdminSite):
    site_header = site_title = "Headnode"
    index_title = "My work"
    enable_nav_sidebar = False
    site_url = None
    _empty_value_display = "–"
    login_form = SignInForm

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        context = super().each_context(request)
        context["places"] = self._places(request) if context["has_permission"] else []
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
            "news": [section for section in work if section.side],
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
        rows = [
            {"label": label, "url": reverse(name), "text": text}
            for label, name, permission, text in SETTINGS
            if not permission or user.has_perm(permission)
        ]
        context = {**self.each_context(request), "title": "Settings", "rows": rows}
        return TemplateResponse(request, "admin/settings.html", context)
