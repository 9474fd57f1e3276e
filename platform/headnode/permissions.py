"""Who may open which address: the rule of each, from which docs/permissions.md and a test are made.

The roles' permissions are accounts.roles.ROLES; here stands which of them an address asks for and whose
rows it narrows to. An address of the site without a rule is refused by the test, not by the site.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver

from accounts.roles import ROLES
from headnode.candidate_addresses import CANDIDATE_ADDRESSES
from headnode.permission_rules import Address as Address
from headnode.permission_rules import Rule as Rule
from headnode.permission_rules import Scope as Scope
from hiring.oversight import EVERY, NAMED


def _attempt(permission: str, write: str = "-", only_post: bool = False) -> Rule:
    return Rule(permission, Scope.ATTEMPT, write, only_post)


def _verb(permission: str, scope: Scope = Scope.ATTEMPT) -> Rule:
    return Rule(permission, scope, permission)


STAFF: dict[str, Rule] = {
    "admin:index": Rule(write="-"),
    "admin:settings": Rule(write="-"),
    "admin:app_list": Rule(write="-"),
    "admin:second-step": Rule(),
    "admin:second-step-set-up": Rule(),
    "admin:second-step-take-away": _verb("accounts.change_user", Scope.SITE),
    "admin:password_change": Rule(),
    "admin:password_change_done": Rule(write="-"),
    "admin:logout": Rule(only_post=True),
    "admin:jsi18n": Rule(write="-"),
    "admin:attempt": _attempt("assessments.view_attempt"),
    "admin:compare": _attempt("assessments.view_submission"),
    "admin:gradings": _attempt("assessments.view_gradingrun"),
    "admin:evidence-chart": _attempt("assessments.view_gradingrun"),
    "admin:evidence-picture": _attempt("assessments.view_gradingrun"),
    "admin:evidence-year": Rule("assessments.view_gradingrun", Scope.MEASURES, "-"),
    "admin:reference-chart": Rule("assessments.view_gradingrun", Scope.MEASURES, "-"),
    "admin:run": _attempt("assessments.view_run"),
    "admin:run-chart": _attempt("assessments.view_run"),
    "admin:run-picture": _attempt("assessments.view_run"),
    "admin:score": _verb("reviews.add_evaluation", Scope.PANEL),
    "admin:rating": Rule("reviews.add_evaluation", Scope.PANEL, only_post=True),
    "admin:correct": _verb("reviews.add_evaluation", Scope.PANEL),
    "admin:pin": Rule("reviews.add_evaluation", Scope.PANEL, only_post=True),
    "admin:met": Rule("reviews.add_evaluation", Scope.PANEL, only_post=True),
    "admin:score-order": _attempt("reviews.add_evaluation"),
    "admin:work-history": _attempt("assessments.view_submission"),
    "admin:defence": _attempt("reviews.view_defence", "reviews.add_defence"),
    "admin:override": _verb("reviews.add_measureoverride", Scope.MEASURES),
    "admin:match": _verb("reviews.add_measureoverride", Scope.MEASURES),
    "admin:similarity": _attempt("reviews.view_likeness"),
    "admin:key": _attempt("assessments.view_submission"),
    "admin:attempt-room": _attempt("assessments.view_submission"),
    **{
        f"admin:attempt-room-{name}": _attempt("assessments.view_submission")
        for name in (
            "manifest",
            "file",
            "logs",
            "metrics-catalogue",
            "metrics-panels",
            "metrics-series",
            "metrics-heatmap",
            "query",
            "bill-tables",
            "bill-values",
            "bill-pivot",
            "bill-sql",
            "bill-lines",
        )
    },
    "admin:enquiries": Rule("assessments.view_enquiry", write="-"),
    "admin:enquiry-answer": _verb("assessments.add_announcement"),
    "admin:announce": _verb("assessments.add_announcement", Scope.OVERSEEN),
    "admin:impressions": Rule("assessments.view_impression", Scope.OVERSEEN, "-"),
    "admin:spoken-revision": _verb("reviews.add_feedback"),
    "admin:feedback": _verb("reviews.add_feedback"),
    "admin:decision": Rule(
        "reviews.view_decision", Scope.ATTEMPT, "reviews.add_decision", acts=Scope.OVERSEEN
    ),
    "admin:discussion": _attempt("reviews.view_discussionoutcome", "reviews.add_discussionoutcome"),
    "admin:calibration": Rule("reviews.add_calibrationcard", write="-"),
    "admin:calibration-card": _verb("reviews.add_calibrationcard", Scope.SITE),
    "admin:calibration-rating": Rule("reviews.add_calibrationcard", only_post=True),
    "admin:reliability": Rule("reviews.study_evaluation", write="-"),
    "admin:adverse-impact": Rule("reviews.view_selfdescription", write="-"),
    "admin:assign": _verb("reviews.add_assignment", Scope.OVERSEEN),
    "admin:withdraw": _verb("reviews.add_assignment", Scope.OVERSEEN),
    "admin:extend": _verb("assessments.add_timeevent", Scope.OVERSEEN),
    "admin:reopen": _verb("assessments.add_timeevent", Scope.OVERSEEN),
    "admin:regrade": _verb("assessments.add_gradingrun", Scope.OVERSEEN),
    "admin:note": _attempt("reviews.add_note", only_post=True),
    "admin:opening-close": _verb("hiring.change_opening", Scope.SITE),
    "admin:opening-reopen": _verb("hiring.change_opening", Scope.SITE),
    "admin:first-steps": Rule("hiring.add_opening", write="-"),
    "admin:catalogue": Rule("library.view_packversion", write="-"),
    "admin:catalogue-entry": Rule("library.view_packversion", write="-"),
    "admin:trial-begin": Rule("library.view_packversion", only_post=True),
    "admin:trial": Rule("library.view_packversion", Scope.OWN, "-"),
    "admin:trial-enter": Rule("library.view_packversion", Scope.OWN, only_post=True),
    "admin:trial-keep": Rule("library.view_rubric", Scope.OWN, only_post=True),
    "admin:opening-demand": Rule("hiring.change_opening", only_post=True),
    "admin:invitation-send": _verb("hiring.change_invitation", Scope.SITE),
    "admin:invitation-remind": _verb("hiring.change_invitation", Scope.SITE),
    "admin:invitation-replace": _verb("hiring.change_invitation", Scope.SITE),
    "admin:invitation-revoke": _verb("hiring.change_invitation", Scope.SITE),
    "admin:invitation-ahead": _verb("hiring.change_invitation", Scope.SITE),
    "admin:invitation-extend": _verb("hiring.change_invitation", Scope.SITE),
    "admin:candidates-add-many": _verb("hiring.add_candidate", Scope.SITE),
    "admin:invite-many": _verb("hiring.add_invitation", Scope.SITE),
    "admin:opening-assign": _verb("reviews.add_assignment", Scope.OVERSEEN),
    "admin:opening-extra-time": _verb("hiring.add_accommodation", Scope.SITE),
    "admin:opening-copy": _verb("hiring.add_opening", Scope.SITE),
    **{
        f"admin:bulk-{key}": _verb("hiring.change_invitation", Scope.SITE)
        for key in ("remind", "send", "extend", "revoke")
    },
    "admin:bulk-extend-time": _verb("assessments.add_timeevent", Scope.SITE),
    "admin:bulk-close": _verb("hiring.change_opening", Scope.SITE),
    "admin:messages": Rule("hiring.view_message", write="-"),
    "admin:message": Rule("hiring.view_message", Scope.NAMED, "-"),
    "admin:message-again": _verb("hiring.change_message", Scope.NAMED),
    "admin:my-mail": Rule(),
    "admin:message-words": Rule("hiring.view_messagewords", write="-"),
    "admin:message-words-edit": _verb("hiring.add_messagewords", Scope.SITE),
    "admin:opening-words": Rule("hiring.view_messagewords", write="-"),
    "admin:opening-words-edit": _verb("hiring.add_messagewords", Scope.SITE),
    "admin:decision-tell": _verb("hiring.add_message", Scope.OVERSEEN),
    "admin:opening-results": Rule("hiring.add_message", Scope.OVERSEEN, "-"),
    "admin:bulk-tell": _verb("hiring.add_message", Scope.SITE),
    "admin:retention": _verb("hiring.erase_candidate", Scope.SITE),
    "admin:candidate-export": _verb("hiring.erase_candidate", Scope.SITE),
    "admin:candidate-erase": _verb("hiring.erase_candidate", Scope.SITE),
    "admin:question-sets": Rule("reviews.view_questionset", write="-"),
    "admin:question-set-build": _verb("reviews.add_questionset", Scope.SITE),
    "admin:question-set": Rule("reviews.view_questionset", Scope.OWN, "reviews.change_questionset"),
    "admin:question-set-print": Rule("reviews.view_questionset", Scope.OWN, "-"),
    "admin:interviews": Rule(
        "reviews.view_interviewsession|reviews.add_interviewsession", write="-"
    ),
    "admin:interview-plan": _verb("reviews.add_interviewsession", Scope.SITE),
    "admin:interview": Rule("reviews.view_interviewsession", Scope.OWN, "-"),
    "admin:interview-print": Rule("reviews.view_interviewsession", Scope.OWN, "-"),
    "admin:interview-note": Rule("reviews.change_interviewsession", Scope.OWN, only_post=True),
    "admin:interview-talk": Rule(
        "reviews.view_interviewsession|reviews.add_interviewsession",
        Scope.OWN,
        "reviews.add_interviewsession",
    ),
    "admin:interview-live": Rule("reviews.change_interviewsession", Scope.OWN, "-"),
    "admin:interview-shared-notes": Rule(
        "reviews.change_interviewsession", Scope.OWN, only_post=True
    ),
    "admin:interview-pad": Rule("reviews.change_interviewsession", Scope.OWN, only_post=True),
    "admin:interview-show": Rule("reviews.change_interviewsession", Scope.OWN, only_post=True),
    "admin:interview-correct": Rule("reviews.change_interviewsession", Scope.OWN, only_post=True),
    "admin:revision-interview": Rule("reviews.change_interviewsession", Scope.OWN),
    "admin:report": _attempt("reviews.view_decision"),
    "admin:report-link": _verb("reviews.add_reportlink", Scope.OVERSEEN),
    "admin:report-links": Rule("reviews.view_reportlink", write="-"),
    "admin:report-link-revoke": _verb("reviews.change_reportlink", Scope.OVERSEEN),
    "admin:interview-score": _verb("reviews.add_interviewscore"),
    "admin:board": Rule("hiring.view_opening", Scope.ATTEMPT, "-"),
    "admin:board-rows": Rule("hiring.view_opening", Scope.ATTEMPT, "-"),
    "admin:comparison": _attempt("reviews.view_decision"),
    "admin:opening-csv": _attempt("reviews.view_decision"),
    "admin:opening-xlsx": _attempt("reviews.view_decision"),
    "admin:opening-guide": Rule("library.view_rubric", Scope.ATTEMPT, "-"),
    "admin:rubric-duplicate": Rule("library.add_rubric", only_post=True),
    "admin:question-import": _verb("library.add_question", Scope.SITE),
    "admin:question-export-csv": Rule("library.view_question", write="-"),
    "admin:question-export-json": Rule("library.view_question", write="-"),
    "admin:company-new": _verb("library.add_companyprofile", Scope.SITE),
    "admin:company-edit": _verb("library.add_companyprofile", Scope.SITE),
    "admin:company-preview": Rule("library.view_companyprofile", write="-"),
    "admin:company-toml": Rule("library.view_companyprofile", write="-"),
    "admin:auth_user_password_change": _verb("accounts.change_user", Scope.SITE),
    "admin:api-tokens": Rule("integrations.view_apitoken", write="-"),
    "admin:api-token-make": _verb("integrations.add_apitoken", Scope.SITE),
    "admin:api-token-revoke": _verb("integrations.change_apitoken", Scope.SITE),
    "admin:webhooks": Rule("integrations.view_webhook", write="-"),
    "admin:webhook": Rule("integrations.view_webhook", write="-"),
    "admin:webhook-make": _verb("integrations.add_webhook", Scope.SITE),
    **{
        f"admin:webhook-{name}": _verb("integrations.change_webhook", Scope.SITE)
        for name in ("change", "secret", "stop")
    },
    "admin:delivery": Rule("integrations.view_delivery", write="-"),
    "admin:delivery-again": _verb("integrations.add_delivery", Scope.SITE),
    "admin:tracking": Rule("integrations.view_connection", write="-"),
    "admin:tracking-connection": Rule("integrations.view_connection", write="-"),
    "admin:tracking-make": _verb("integrations.add_connection", Scope.SITE),
    "admin:tracking-end": _verb("integrations.change_connection", Scope.SITE),
}
CANDIDATE: dict[str, Rule] = {
    name: Rule(scope=Scope.CANDIDATE, write=write, only_post=only_post)
    for name, write, only_post in CANDIDATE_ADDRESSES
}
PUBLIC: dict[str, Rule] = {
    name: Rule(scope=Scope.PUBLIC, write="-")
    for name in (
        "home",
        "healthz",
        "readyz",
        "metrics",
        "favicon.ico",
        "script-words",
        "link",
        "shared-report",
        "leave",
        "admin:login",
        "admin:identity-provider",
        "admin:identity-provider-back",
        "admin_password_reset",
        "password_reset_done",
        "password_reset_confirm",
        "password_reset_complete",
    )
}
# Django's own addresses that lead nowhere here: no autocompletion, no "view on site", redirects.
NOWHERE = ("admin:autocomplete", "admin:view_on_site", "admin/(?P<url>.*)$")
OWN_RULES = STAFF | CANDIDATE | PUBLIC
NO_STAFF = (Scope.CANDIDATE, Scope.PUBLIC, Scope.PROGRAM)
"""Addresses that are not the staff's."""
BY_TOKEN = ("api:", "scim:", "tracking:")
"""Beginnings of the names of addresses for programs."""

VERBS = {
    "changelist": "view",
    "change": "view",
    "history": "view",
    "add": "add",
    "delete": "delete",
}
# What a role's permission is for, and the pages of lists and rows still refuse to anybody.
REFUSED: dict[tuple[str, str], str] = {
    ("accounts.user", "delete"): "somebody who leaves is made inactive",
    ("hiring.candidate", "delete"): "only while nobody invited them; later they are erased",
    ("hiring.opening", "delete"): "only while nobody was invited for it",
    ("library.rubric", "add"): "a rubric is duplicated",
}
# Rows that a list narrows to, and who may read a row's trail.
NARROWED = {
    "hiring.opening": Scope.ATTEMPT,
    "assessments.attempt": Scope.ATTEMPT,
    "hiring.candidate": Scope.NAMED,
    "hiring.invitation": Scope.NAMED,
}
ONLY_READ = {"assessments.attempt", "library.companyprofile"}  # these rows have pages of their own
TRAIL_ASKS = {
    "hiring.candidate": "hiring.view_accommodation",
    "assessments.attempt": "assessments.view_timeevent",
}


def granted(role: str) -> set[str]:
    """The role's permissions as "app.verb_model", read from the table and not from the database."""
    return {
        f"{app}.{verb}_{model}"
        for label, verbs in ROLES.get(role, {}).items()
        for app, _, model in [label.partition(".")]
        for verb in verbs
    }


def may(
    rule: Rule,
    role: str,
    *,
    assigned: bool,
    named: bool = False,
    sends: bool = False,
    scored: bool = False,
    own: bool = False,
) -> bool:
    """Whether somebody of that role gets the address's page, or may send its form.

    assigned: they were asked by name to score the attempt; scored: and their scorecard is in.
    named: the opening names them its hiring manager.
    own: the row is one of their own.
    """
    if rule.scope == Scope.PUBLIC:
        return True
    if rule.scope in (Scope.CANDIDATE, Scope.PROGRAM) or (sends and rule.write == "-"):
        return False
    held = granted(role)
    asked = [rule.permission, rule.write if sends else ""]
    if any(held.isdisjoint(wanted.split("|")) for wanted in asked if wanted):
        return False
    scope = rule.acts if sends and rule.acts else rule.scope
    if scope == Scope.SITE:
        return True
    if scope == Scope.OWN:
        return own
    if scope == Scope.PANEL:
        return assigned
    if scope == Scope.MEASURES and assigned:
        return scored
    if scope == Scope.NAMED and assigned:
        return False
    oversees = EVERY in held or (named and NAMED in held)
    return oversees or (assigned and scope != Scope.OVERSEEN)


def model_rule(label: str, page: str) -> Rule | None:
    """The rule of a list, a row, its trail or its removal in the admin; None: refused to all."""
    if (label, VERBS[page]) in REFUSED and page in ("add", "delete"):
        return None
    app, _, model = label.partition(".")
    permission = f"{app}.{VERBS[page]}_{model}"
    scope = Scope.SITE if page in ("changelist", "add") else NARROWED.get(label, Scope.SITE)
    if page == "history" and label in TRAIL_ASKS:
        permission = TRAIL_ASKS[label]
    writes = {"change": f"{app}.change_{model}", "add": permission, "delete": permission}
    return Rule(permission, scope, "-" if label in ONLY_READ else writes.get(page, "-"))


def addresses(models: dict[str, str]) -> Iterator[Address]:
    """Every address of the site with its rule; `models` maps "app_model" to "app.model"."""
    for name, pattern in _walk(get_resolver()):
        bare = name.removeprefix("admin:")
        prefix, _, page = bare.rpartition("_")
        key = name if name and not name.endswith(":") else pattern
        if name.startswith(BY_TOKEN):
            yield Address(key, pattern, Rule(scope=Scope.PROGRAM))
        elif key in OWN_RULES:
            yield Address(key, pattern, OWN_RULES[key])
        elif name.startswith("admin:") and page in VERBS and prefix in models:
            yield Address(key, pattern, model_rule(models[prefix], page) or NO_ONE)
        elif key not in NOWHERE and not pattern.endswith("<path:object_id>/"):
            yield Address(key, pattern, None)


NO_ONE = Rule(permission="nobody")


def _walk(resolver: Any, prefix: str = "", space: str = "") -> Iterator[tuple[str, str]]:
    for entry in resolver.url_patterns:
        pattern = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            inner = f"{space}{entry.namespace}:" if entry.namespace else space
            yield from _walk(entry, pattern, inner)
        elif isinstance(entry, URLPattern):
            yield f"{space}{entry.name or ''}", pattern
