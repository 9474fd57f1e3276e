"""A written part that takes the whole plan back, and many that only sound like it."""

from __future__ import annotations

import json

import pytest

from graders.kinds import grade
from graders.measures import total
from graders.scaling.grading import KIND
from graders.scaling.makers import write_golden
from graders.scaling.withdrawn import TAKEN_BACK, withdrawn
from scenarios.packs import load_pack

PACK = "scaling-plan/growth-year"


@pytest.mark.parametrize(
    "text",
    [
        "On reflection I withdraw the whole plan.",
        "We should not order any of this.",
        "None of these orders should be placed.",
        "I cannot tell which of these orders we need.",
        "Ich ziehe den ganzen Plan zurück.",
        "Nichts davon soll bestellt werden.",
        "Je retire tout le plan.",
        "Retiro todo el plan.",
        "We will not buy anything of what is listed here.",
        "Please ignore the plan above, it does not work.",
        "Scrap the whole thing, demand was misread.",
        "None of it is needed.",
        "Maybe we need nodes, or perhaps only rules, or possibly power; I do not know.",
        "Der obige Plan soll nicht umgesetzt werden.",
        "Ich rate davon ab, irgendetwas davon zu bestellen.",
        "Ob irgendetwas davon hilft, weiß ich nicht.",
        "N'achetez rien de tout cela.",
        "Je ne sais pas si ces commandes servent à quelque chose.",
        "No hay que hacer ninguno de estos pedidos.",
        "Este plan no debe ejecutarse.",
    ],
)
def test_a_plan_that_its_text_leaves_nothing_of_is_found(text: str) -> None:
    found = withdrawn({"risks": f"Late delivery: rent. {text}"})
    assert found is not None
    assert found.quote == text


@pytest.mark.parametrize(
    "text",
    [
        "We should not order any of this before the review in April.",
        "If prices fall, none of these orders should be placed in August.",
        "Our colleagues withdrew their plan.",
        "Nothing in the plan depends on a single vendor.",
        "We do not order everything in one month.",
        "The plan does not buy nodes for the notebooks.",
        "I take the first order back if demand stays low.",
        "Perhaps a third of the growth comes later.",
        "Which of these orders comes first follows from the lead times.",
        "The plan is not executed by one team alone.",
        "Maybe demand grows faster, so we might buy or rent more from October.",
        "I decided not to order the nodes of the second phase from the same vendor.",
        "Nicht alles davon muss sofort bestellt werden.",
        "Keine der Bestellungen liegt über dem Budget des Quartals.",
        "Je ne recommande pas de second site.",
        "El plan no compra nodos para notebooks.",
    ],
)
def test_a_plan_that_waits_or_leaves_something_out_is_one(text: str) -> None:
    assert withdrawn({"risks": text}) is None


@pytest.mark.nightly
def test_it_counts_nothing_until_somebody_sets_the_finding_aside() -> None:
    pack = load_pack(PACK)
    answer = json.loads(write_golden(pack, "junior", "expert", 1)[pack.entry])
    answer["sections"]["risks"] += "\n\nI withdraw this plan."
    report = grade(PACK, "junior", 1, {pack.entry: json.dumps(answer)})
    assert report.score == 0
    found = next(one for one in report.evidence if one.get("finding") == TAKEN_BACK)
    assert "takes the plan back" in str(report.measures[0].to_dict()["explanation"])
    aside = [{"statement": found["id"], "subject": TAKEN_BACK, "verdict": "none"}]
    again = KIND.reassess(report.to_dict(), aside)
    assert (total(again.measures) or 0) > 0.9


@pytest.mark.nightly  # by day test_figures_between_plans has what is said of it
def test_a_plan_that_changes_nothing_counts_nothing_however_little_it_costs() -> None:
    pack = load_pack(PACK)
    report = grade(PACK, "junior", 109, write_golden(pack, "junior", "silent", 109))
    assert report.score == 0
    assert "the plan changes nothing" in str(report.measures[0].to_dict()["explanation"])
