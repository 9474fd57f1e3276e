"""Beneath one's own attempt nothing of somebody else's is found, though its number is known."""

from __future__ import annotations

import re
from collections.abc import Callable

from django.test import Client

from assessments.models import AssistantTurn, Attempt, Run
from assessments.tests.stage import Stage, attempt, begin_as_another, published, stage
from headnode.permissions import Address, Scope
from headnode.tests.test_permission_matrix import all_addresses, ask, is_open, places
from headnode.tests.workplaces import in_workplaces, read_ahead
from reviews.tests.scene import handed_in

__all__ = ["attempt", "handed_in", "in_workplaces", "places", "published", "read_ahead", "stage"]
OF_A_ROW = re.compile("<uuid:(run|turn)>")
OF_A_PROGRAM = {
    "attempt-run",
    "attempt-run-stop",
    "attempt-assistant-turn",
    "attempt-assistant-stop",
}
OF_A_PLAN = {"plan-what-if", "plan-what-if-stop"}
"""Materials come first, which nobody makes here: that a run is another's, test_what_ifs shows."""


def test_rows_of_another_candidate_are_not_beneath_ones_own_attempt(
    stage: Stage, handed_in: Attempt, places: Callable[[Address], str], client: Client
) -> None:
    client.get(f"/t/{stage.token}/")
    own = []
    for address in all_addresses():
        rule = address.rule
        if rule and rule.scope == Scope.CANDIDATE and OF_A_ROW.search(address.pattern):
            path = places(address)
            if is_open(ask(client, path, sends=rule.only_post), []):
                own.append((address.name, path, rule.only_post))
    assert {name for name, *_ in own} == OF_A_PROGRAM | OF_A_PLAN
    others = begin_as_another(stage, stage.exercise)
    Run.objects.update(attempt=others)
    AssistantTurn.objects.update(attempt=others)
    for name, path, sends in own:
        refused = (404, 409) if name in OF_A_PLAN else (404,)
        assert ask(client, path, sends=sends).status_code in refused, path
