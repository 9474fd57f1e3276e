"""The staff roles and what each may do: one table, written into groups after each migration."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.models import Group, Permission
from django.core.exceptions import ImproperlyConfigured
from django.db.models import Q

ADMINISTRATOR = "Administrator"
RECRUITER = "Recruiter"
INTERVIEWER = "Interviewer"
HIRING_MANAGER = "Hiring manager"
GUEST = "Guest"

IN_WORDS = {
    ADMINISTRATOR: "Runs the site: staff, rubrics, packs, retention. Sees every attempt and scores none.",
    RECRUITER: "Invites and accompanies candidates, agrees extra time, assigns evaluators. Reads no answer.",
    INTERVIEWER: "Scores what is assigned by name, gives feedback, keeps the question bank.",
    HIRING_MANAGER: "Sees the candidates of openings that name them, assigns evaluators, decides; scores.",
    GUEST: "Scores what is assigned by name until a date, and sees nothing else.",
}

READ = ("view",)
ADD = ("view", "add")  # rows that are only ever appended: a change of the clock, another grading
WRITE = ("view", "add", "change")
ALL = ("view", "add", "change", "delete")

# role -> model ("app.model") -> verbs. Rows are narrowed further by each model's visible_to(), and by
# "oversee" (every opening) or "lead" (the openings that name one): hiring.oversight.
ROLES: dict[str, dict[str, tuple[str, ...]]] = {
    ADMINISTRATOR: {
        "accounts.user": ALL,
        "auth.group": READ,
        "library.packversion": READ,
        "library.rubric": WRITE,
        "library.criterion": ALL,
        "library.criterionlevel": ALL,
        "library.question": ALL,
        "library.companyprofile": ADD,
        "hiring.opening": (*ALL, "oversee"),
        "hiring.exercise": ALL,
        "hiring.candidate": (*ALL, "erase"),
        "hiring.accommodation": WRITE,
        "hiring.invitation": WRITE,
        "hiring.message": WRITE,
        "hiring.messagewords": ADD,
        "hiring.sighting": READ,
        "assessments.attempt": READ,
        "assessments.enquiry": READ,
        "assessments.announcement": ADD,
        "assessments.impression": READ,
        "assessments.timeevent": ADD,
        "assessments.submission": READ,
        "assessments.gradingrun": ADD,
        "assessments.run": READ,
        "admin.logentry": READ,
        "reviews.assignment": ALL,
        "reviews.evaluation": ("view", "study"),
        "reviews.defence": ADD,
        "reviews.measureoverride": ADD,
        "reviews.discussionoutcome": READ,
        "reviews.selfdescription": READ,
        "reviews.feedback": WRITE,
        "reviews.note": WRITE,
        "reviews.decision": WRITE,
        "reviews.questionset": ALL,
        "reviews.interviewsession": ADD,
        "reviews.interviewscore": READ,
        "reviews.likeness": READ,
        "reviews.reportlink": WRITE,
        "integrations.apitoken": WRITE,
        "integrations.webhook": WRITE,
        "integrations.delivery": ADD,
        "integrations.connection": WRITE,
    },
    RECRUITER: {
        "library.packversion": READ,
        "library.question": READ,
        "library.companyprofile": ADD,
        "hiring.opening": (*WRITE, "oversee"),
        "hiring.exercise": ALL,
        "hiring.candidate": WRITE,
        "hiring.accommodation": WRITE,
        "hiring.invitation": WRITE,
        "hiring.message": WRITE,
        "hiring.messagewords": ADD,
        "assessments.attempt": READ,
        "assessments.enquiry": READ,
        "assessments.announcement": ADD,
        "assessments.impression": READ,
        "assessments.timeevent": ADD,
        "reviews.assignment": ALL,
        "reviews.decision": READ,
        "reviews.questionset": WRITE,
        "reviews.interviewsession": ("add",),
        "reviews.interviewscore": ADD,
        "reviews.reportlink": WRITE,
    },
    INTERVIEWER: {
        "library.packversion": READ,
        "library.rubric": READ,
        "library.criterion": READ,
        "library.criterionlevel": READ,
        "library.question": WRITE,
        "hiring.opening": READ,
        "assessments.attempt": READ,
        "assessments.enquiry": READ,
        "assessments.announcement": ADD,
        "assessments.submission": READ,
        "assessments.gradingrun": READ,
        "assessments.run": READ,
        "reviews.assignment": READ,
        "reviews.evaluation": WRITE,
        "reviews.defence": ADD,
        "reviews.measureoverride": ADD,
        "reviews.discussionoutcome": ADD,
        "reviews.calibrationcard": ADD,
        "reviews.feedback": WRITE,
        "reviews.note": WRITE,
        "reviews.decision": READ,
        "reviews.questionset": WRITE,
        "reviews.interviewsession": ("view", "change"),
        "reviews.interviewscore": ADD,
        "reviews.likeness": READ,
    },
    HIRING_MANAGER: {
        "library.packversion": READ,
        "library.rubric": READ,
        "library.question": READ,
        "hiring.opening": (*READ, "lead"),
        "hiring.candidate": READ,
        "hiring.message": ADD,
        "assessments.attempt": READ,
        "assessments.enquiry": READ,
        "assessments.announcement": ADD,
        "assessments.impression": READ,
        "assessments.submission": READ,
        "assessments.gradingrun": ADD,
        "assessments.run": READ,
        "reviews.assignment": WRITE,
        "reviews.evaluation": (*WRITE, "study"),
        "reviews.defence": ADD,
        "reviews.measureoverride": ADD,
        "reviews.discussionoutcome": ADD,
        "reviews.calibrationcard": ADD,
        "reviews.feedback": WRITE,
        "reviews.note": WRITE,
        "reviews.decision": WRITE,
        "reviews.questionset": WRITE,
        "reviews.interviewsession": WRITE,
        "reviews.interviewscore": ADD,
        "reviews.likeness": READ,
        "reviews.reportlink": WRITE,
    },
    # No decisions: a guest never learns the name, nor what other evaluators said.
    GUEST: {
        "assessments.attempt": READ,
        "assessments.submission": READ,
        "assessments.gradingrun": READ,
        "assessments.run": READ,
        "reviews.assignment": READ,
        "reviews.evaluation": WRITE,
        "reviews.calibrationcard": ADD,
        "reviews.feedback": READ,
        "reviews.note": WRITE,
    },
}


def check_settings() -> None:
    """Raise ImproperlyConfigured where a setting names a role that there is not."""
    known = {role.lower() for role in IN_WORDS}
    for name, given, more in (
        ("MFA_ROLES", settings.MFA_ROLES, {"all"}),
        ("OIDC_NEW_ROLE", [settings.OIDC_NEW_ROLE.lower()], {""}),
    ):
        for role in given:
            if role not in known | more:
                listed = ", ".join(sorted(IN_WORDS))
                raise ImproperlyConfigured(f"{name} names {role!r}, and the roles are: {listed}.")


def sync_roles(**kwargs: Any) -> None:
    """Make the groups match the table; permissions given beyond it by hand are taken away."""
    for role, grants in ROLES.items():
        group, _ = Group.objects.get_or_create(name=role)
        wanted = Q(pk=None)
        for label, verbs in grants.items():
            app, model = label.split(".")
            wanted |= Q(
                content_type__app_label=app,
                content_type__model=model,
                codename__in=[f"{verb}_{model}" for verb in verbs],
            )
        group.permissions.set(Permission.objects.filter(wanted))
