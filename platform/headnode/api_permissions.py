"""Who gets what from the API: the rule of each of its addresses, in the words of the staff's pages.

A token is asked for what its person's role holds and narrowed to the rows that the person sees, so the
rules are those of the pages. `test_api_permissions` asks every address as everybody in the table.
"""

from __future__ import annotations

from headnode.permission_rules import Rule, Scope

READ = {
    "openings": ("hiring.view_opening", Scope.ATTEMPT),
    "candidates": ("hiring.view_candidate", Scope.NAMED),
    "invitations": ("hiring.view_invitation", Scope.NAMED),
    "attempts": ("assessments.view_attempt", Scope.ATTEMPT),
    "submissions": ("assessments.view_submission", Scope.ATTEMPT),
    "gradings": ("assessments.view_gradingrun", Scope.MEASURES),
    "scorecards": ("reviews.view_evaluation", Scope.ATTEMPT),
    "questions": ("library.view_question", Scope.SITE),
    "webhooks": ("integrations.view_webhook", Scope.SITE),
    "deliveries": ("integrations.view_delivery", Scope.SITE),
    "audit": ("admin.view_logentry", Scope.SITE),
}
"""Resource -> what reading asks for, and whose single rows are found; a list has what there is of those."""
WRITE: dict[tuple[str, str], str] = {
    ("candidates", ""): "hiring.add_candidate",
    ("invitations", ""): "hiring.add_invitation",
    ("webhooks", ""): "integrations.add_webhook",
    ("webhooks", "change"): "integrations.change_webhook",
    ("webhooks", "stop"): "integrations.change_webhook",
    ("deliveries", "replay"): "integrations.add_delivery",
    **{("openings", name): "hiring.change_opening" for name in ("close", "reopen")},
    **{
        ("invitations", name): "hiring.change_invitation"
        for name in ("send", "remind", "extend", "revoke", "link")
    },
}
"""(resource, verb) -> the permission; "" is a new row."""


def list_rule(resource: str) -> Rule:
    return Rule(READ[resource][0])


def row_rule(resource: str) -> Rule:
    return Rule(*READ[resource])


def report_rule() -> Rule:
    return Rule("reviews.view_decision", Scope.ATTEMPT)


def verb_rule(resource: str, verb: str) -> Rule:
    """Of a change to one row, which has to be found first; of a new row the permission alone."""
    scope = READ[resource][1] if verb else Scope.SITE
    return Rule(WRITE[resource, verb], scope)
