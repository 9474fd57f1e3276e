"""Where the staff's pages lie: the bar's entries, and what the settings lead to."""

from __future__ import annotations

from typing import NamedTuple


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
        ("hiring/opening/", "hiring/exercise/", "openings/", "results/"),
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


class Setting(NamedTuple):
    """A page of the settings, for whoever holds the permission; for everybody where there is none."""

    label: str
    url_name: str
    permission: str
    text: str


SETTINGS: dict[str, tuple[Setting, ...]] = {
    "The team": (
        Setting(
            "First steps",
            "admin:first-steps",
            "hiring.add_opening",
            "From an empty site to the first invitation, and how far yours is.",
        ),
        Setting(
            "Staff",
            "admin:accounts_user_changelist",
            "accounts.view_user",
            "Who may sign in, and in which role.",
        ),
        Setting(
            "Roles",
            "admin:auth_group_changelist",
            "auth.view_group",
            "What each role may see and do.",
        ),
    ),
    "What is asked": (
        Setting(
            "Exercises",
            "admin:catalogue",
            "library.view_packversion",
            "What can be asked of candidates: briefs, minutes, measures, a sample; and trials of your own.",
        ),
        Setting(
            "Scenario packs",
            "admin:library_packversion_changelist",
            "library.view_packversion",
            "The exercises that can be used, in their versions.",
        ),
        Setting(
            "Company profiles",
            "admin:library_companyprofile_changelist",
            "library.view_companyprofile",
            "The clusters that exercises are about: nodes, prices, teams, growth.",
        ),
        Setting(
            "Rubrics",
            "admin:library_rubric_changelist",
            "library.view_rubric",
            "Criteria with five described levels, by exercise and seniority.",
        ),
    ),
    "How people score": (
        Setting(
            "Calibration",
            "admin:calibration",
            "reviews.add_calibrationcard",
            "Exemplar answers to score blind, and how far off one is.",
        ),
        Setting(
            "Reliability",
            "admin:reliability",
            "reviews.study_evaluation",
            "How alike evaluators see the same work, by criterion and by person.",
        ),
        Setting(
            "Adverse impact",
            "admin:adverse-impact",
            "reviews.view_selfdescription",
            "Whether groups of candidates are selected at different rates, from voluntary answers.",
        ),
    ),
    "Messages": (
        Setting(
            "Messages",
            "admin:messages",
            "hiring.view_message",
            "What was sent to whom, what waits, and what a mail server refused.",
        ),
        Setting(
            "Words of messages",
            "admin:message-words",
            "hiring.view_messagewords",
            "What people read when they are invited, reminded, assigned, answered.",
        ),
        Setting(
            "Your mail",
            "admin:my-mail",
            "",
            "Single messages or one a day, and the time zone that they say times in.",
        ),
        Setting(
            "Questions of candidates",
            "admin:enquiries",
            "assessments.view_enquiry",
            "What candidates ask while they work or about their feedback, and what was answered.",
        ),
        Setting(
            "Shared reports",
            "admin:report-links",
            "reviews.view_reportlink",
            "Links by which people without an account read a report, and when they did.",
        ),
    ),
    "Records": (
        Setting(
            "Retention",
            "admin:retention",
            "hiring.erase_candidate",
            "How long candidates' data is kept, what is due, and what went.",
        ),
        Setting(
            "Who saw whom",
            "admin:hiring_sighting_changelist",
            "hiring.view_sighting",
            "Who of the staff opened which page about a candidate.",
        ),
        Setting(
            "Audit trail",
            "admin:admin_logentry_changelist",
            "admin.view_logentry",
            "Everything that staff did, newest first.",
        ),
    ),
    "Other systems": (
        Setting(
            "API tokens",
            "admin:api-tokens",
            "integrations.view_apitoken",
            "What programs may read and do, in whose name, and until when.",
        ),
        Setting(
            "Webhooks",
            "admin:webhooks",
            "integrations.view_webhook",
            "Addresses that are told what happens, and what became of each message to them.",
        ),
        Setting(
            "Tracking systems",
            "admin:tracking",
            "integrations.view_connection",
            "Greenhouse, Ashby and Lever: they order exercises and hear what came of them.",
        ),
    ),
}
