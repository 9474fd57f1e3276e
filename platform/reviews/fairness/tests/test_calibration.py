"""Calibration (issue 6): exemplars are scored blind, then one sees how far off one was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from assessments.models import Attempt
from assessments.tests.stage import PACK, Stage
from library import exemplars
from library.exemplars import ExemplarInvalid, all_exemplars, exemplars_of
from library.packs import pack_of
from reviews.fairness import calibration
from reviews.models import CalibrationCard
from reviews.tests.scene import LATER

EXEMPLARS = exemplars_of(PACK, "mid")
PLACE = {"kind": "automation", "name": "queue-autoscaler", "level": "mid"}


def page_of(key: str = "a") -> str:
    return reverse("admin:calibration-card", kwargs=PLACE | {"key": key})


def piece(agreed: exemplars.Agreed) -> str:
    """A piece of the reason that looks the same on the page."""
    return max(agreed.reason.split("`"), key=len)[:40]


def levels(default: int = 3, **other: int) -> dict[str, str]:
    keys = EXEMPLARS[0].agreed
    return {f"level-{key}": str(other.get(key, default)) for key in keys}


def test_shipped_exemplars_are_complete_and_differ() -> None:
    for pack, level, found in all_exemplars():
        assert len(found) >= 3, pack.name
        wanted = {item.key for item in pack.rubric(level).criteria if item.round == 1}
        for exemplar in found:
            assert set(exemplar.agreed) == wanted
            assert set(exemplar.body["sections"]) == {row.key for row in pack.sections(level)}
            assert all(len(item.reason) > 60 for item in exemplar.agreed.values())
            assert all('"""' not in text[:10] for text in exemplar.body["files"].values())
    given = [tuple(item.level for item in row.agreed.values()) for row in EXEMPLARS]
    assert len(set(given)) == len(given) >= 3
    assert {level for row in given for level in row} >= {2, 3, 4, 5}
    assert all(len(set(row)) > 1 for row in given)  # none is good or weak throughout


def test_agreed_levels_are_in_no_page_before_ones_own_are_in(
    stage: Stage, clients: dict[str, Client]
) -> None:
    client = clients["ines"]
    reasons = [piece(item) for row in EXEMPLARS for item in row.agreed.values()]
    for url in (reverse("admin:calibration"), *(page_of(row.key) for row in EXEMPLARS)):
        page = client.get(url).content.decode()
        assert not any(reason in page for reason in reasons), url
    client.post(page_of("a"), levels())
    page = client.get(page_of("a")).content.decode()
    assert all(piece(item) in page for item in EXEMPLARS[0].agreed.values())
    other = client.get(page_of("b")).content.decode()
    assert not any(piece(item) in other for item in EXEMPLARS[1].agreed.values())


def test_how_far_off_one_is(stage: Stage, clients: dict[str, Client]) -> None:
    agreed = {key: item.level for key, item in EXEMPLARS[0].agreed.items()}
    sent = levels(**agreed | {"technical": agreed["technical"] + 2})
    assert clients["ines"].post(page_of("a"), sent).status_code == 302
    lines = calibration.lines(CalibrationCard.objects.get(evaluator=stage.ines))
    assert {line.key: line.off for line in lines if line.off} == {"technical": 2}
    found = calibration.distance(lines)
    assert found is not None
    assert (found.n, found.exact, found.adjacent) == (6, 5 / 6, 5 / 6)
    assert found.mean_off == found.mean_distance == pytest.approx(2 / 6)
    assert "2 kinder" in clients["ines"].get(page_of("a")).content.decode()


def test_exemplar_is_scored_once(stage: Stage, clients: dict[str, Client]) -> None:
    clients["ines"].post(page_of("a"), levels(2))
    again = clients["ines"].post(page_of("a"), levels(4))
    assert again.status_code == 409
    assert "You submitted this exemplar before" in again.content.decode()
    card = CalibrationCard.objects.get()
    assert {item["level"] for item in card.ratings.values()} == {2}


def test_gaps_are_named_and_nothing_is_lost(stage: Stage, clients: dict[str, Client]) -> None:
    sent = levels() | {"level-method": "", "note-technical": "Small functions."}
    answer = clients["ines"].post(page_of("a"), sent)
    assert answer.status_code == 409
    page = answer.content.decode()
    assert "Still without a level: Decision logic and how it was reached." in page
    assert "Small functions." in page
    assert CalibrationCard.objects.get().submitted_at is None


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"criterion": "method", "level": 4, "note": "x"}, 200),
        ({"criterion": "method", "level": None}, 200),
        ({"criterion": "method", "level": 6}, 400),
        ({"criterion": "method", "level": True}, 400),
        ({"criterion": "method", "level": 3, "note": "a\x00b"}, 400),
        ({"criterion": "method", "level": 3, "note": "x" * 5001}, 400),
        ({"criterion": "adaptability", "level": 3}, 409),
        ([], 400),
    ],
)
def test_each_change_is_kept_at_once(
    stage: Stage, clients: dict[str, Client], body: Any, status: int
) -> None:
    url = reverse("admin:calibration-rating", kwargs=PLACE | {"key": "a"})
    answer = clients["ines"].post(url, json.dumps(body), content_type="application/json")
    assert answer.status_code == status, answer.content
    if status == 200:
        assert answer.json()["of"] == 6
    else:
        assert CalibrationCard.objects.get().ratings == {}


def test_rubbish_json_gets_a_sentence(stage: Stage, clients: dict[str, Client]) -> None:
    clients["ines"].get(page_of("a"))
    url = reverse("admin:calibration-rating", kwargs=PLACE | {"key": "a"})
    for body in (b"{", b"\xff", b"[" * 100_000, b'{"criterion": "\\ud800", "level": 1}'):
        answer = clients["ines"].post(url, data=body, content_type="application/json")
        assert answer.status_code in (400, 409), body[:20]


def test_everybody_has_ones_own_cards(stage: Stage, clients: dict[str, Client]) -> None:
    clients["ines"].post(page_of("a"), levels())
    assert "Submit ratings" in clients["otto"].get(page_of("a")).content.decode()
    for name in ("adam", "rhea"):
        assert clients[name].get(page_of("a")).status_code == 403
    assert clients["otto"].get(page_of("no-such")).status_code == 404


def test_opening_may_ask_for_it_first(
    handed_in: Attempt, stage: Stage, clients: dict[str, Client]
) -> None:
    score, home = reverse("admin:score", args=[handed_in.pk, 1]), reverse("admin:index")
    attempt = reverse("admin:attempt", args=[handed_in.pk])
    assert "have not scored the exemplars" not in clients["ines"].get(score).content.decode()
    stage.opening.calibration = "warn"
    stage.opening.save()
    assert "have not scored the exemplars" in clients["ines"].get(score).content.decode()
    assert "Exemplars first" in clients["ines"].get(home).content.decode()
    said = "Scored no exemplars of this exercise yet: Ines"
    assert said in clients["rhea"].get(attempt).content.decode()
    for exemplar in EXEMPLARS:
        clients["ines"].post(page_of(exemplar.key), levels())
    assert "have not scored the exemplars" not in clients["ines"].get(score).content.decode()
    assert "Exemplars first" not in clients["ines"].get(home).content.decode()
    assert said not in clients["rhea"].get(attempt).content.decode()


def test_changed_exemplar_is_scored_anew(stage: Stage) -> None:
    old = EXEMPLARS[0]
    card = calibration.begin(PACK, "mid", old, evaluator=stage.ines, now=LATER)
    calibration.rate(card, dict.fromkeys(old.agreed, (3, "")))
    calibration.submit(card, old, now=LATER)
    assert calibration.still_to_score(stage.ines, PACK, "mid") == 2
    card.digest = "0" * 64
    card.save()
    assert calibration.still_to_score(stage.ines, PACK, "mid") == 3


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("level = 3", "level = 6"), "needs a level from 1 to 5"),
        (("[exemplars.agreed.method]", "[exemplars.agreed.style]"), "rate every criterion"),
        (("architecture =", "poetry ="), "no section poetry"),
        (('key = "b"', 'key = "a"'), "the same key"),
    ],
)
def test_wrong_file_is_named_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: tuple[str, str], says: str
) -> None:
    text = (exemplars.FOLDER / PACK / "mid.toml").read_text()
    assert change[0] in text
    (tmp_path / PACK).mkdir(parents=True)
    (tmp_path / PACK / "mid.toml").write_text(text.replace(change[0], change[1], 1))
    monkeypatch.setattr(exemplars, "FOLDER", tmp_path)
    with pytest.raises(ExemplarInvalid, match=says):
        exemplars.exemplars_of.__wrapped__(PACK, "mid")


def test_pack_without_exemplars_asks_for_none(handed_in: Attempt, stage: Stage) -> None:
    assert exemplars_of(PACK, "junior") == ()
    assert exemplars_of("no/such-pack", "mid") == ()
    assert pack_of(PACK).levels
    stage.opening.calibration = "warn"
    stage.opening.save()
    Attempt.objects.update(level="junior")
    assert calibration.owed(stage.ines, Attempt.objects.get()) == 0


def test_what_is_left_of_all_exercises_is_asked_at_once(
    stage: Stage, django_assert_num_queries: Any
) -> None:
    kinds = {(pack.name, level) for pack, level, _ in all_exemplars()} | {(PACK, "senior")}
    done = calibration.begin(PACK, "mid", EXEMPLARS[0], evaluator=stage.ines, now=LATER)
    calibration.rate(done, {item["key"]: (3, "") for item in done.criteria()})
    calibration.submit(done, EXEMPLARS[0], now=LATER)
    with django_assert_num_queries(2):
        found = calibration.all_still_to_score(stage.ines, kinds)
    assert set(found) == kinds
    assert found[PACK, "senior"] == 0  # none are shipped
    assert found[PACK, "mid"] == len(EXEMPLARS) - 1
    assert all(left == len(exemplars_of(*kind)) for kind, left in found.items() if kind[0] != PACK)
