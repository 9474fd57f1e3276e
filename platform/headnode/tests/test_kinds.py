"""A kind of exercise has one home: every part is there, nobody else asks its name, a new one needs no more."""

from __future__ import annotations

import ast
import re
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.template.loader import get_template
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from assessments import answers, attempts, execution
from assessments.kinds import Room, Workplace, workplace_of
from assessments.models import Attempt, GradingRun
from assessments.tests.stage import POLICIES, Stage, enter, make_stage
from graders.kinds import Asked, Grader
from graders.report import GradeReport, RunReport, Versions, unrun
from graders.written import Told
from hiring.exercise_form import pack_choices
from hiring.models import AnswerForm
from hiring.policies import default_limits
from library.bank import shipped_questions
from library.packs import pack_of
from reviews.evidence.corrections import Corrected
from reviews.evidence.kinds import Staff, StaffWithKey
from reviews.evidence.readings import Reader
from reviews.scoring.evaluations import assign
from reviews.tests.scene import score_all
from scenarios import kinds
from scenarios.kinds import KINDS, Kind, UnknownKind, kind_of, part
from scenarios.packs import Measure, PackInvalid, all_packs, load_pack
from scenarios.packs.check import check_manifest

ROOT = Path(__file__).resolve().parents[3]
SCRIPTS = ROOT / "platform/assessments/static/assessments"
PARTS: dict[str, tuple[type, ...]] = {
    "graders.{}.grading": (Grader,),
    "assessments.{}.workplace": (Workplace,),
    "reviews.evidence.{}": (Staff,),
}
WORDS = {word for kind in KINDS for word in (kind.key, kind.name)} | {"incident", "bill", "plan"}


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_every_kind_has_every_part(kind: Kind) -> None:
    for place, wanted in PARTS.items():
        found = part(kind, place)
        assert isinstance(found, wanted)
        classes = [one for one in type(found).__mro__ if one.__module__ != "builtins"]
        stated = {name for one in classes for name in vars(one).get("__annotations__", {})}
        assert [name for name in sorted(stated) if not hasattr(found, name)] == []
    assert kind.key in {pack.kind for pack in all_packs()}
    assert kind.key in {one.related_exercise for one in shipped_questions()}
    assert all(limit > 0 for limit in default_limits(kind.key, take_home=True))


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_what_a_kind_says_of_itself_fits_its_parts(kind: Kind) -> None:
    room, staff = (part(kind, place) for place in list(PARTS)[1:])
    assert isinstance(room, Room) == kind.has_materials
    assert isinstance(staff, Staff)
    assert get_template(staff.evidence)
    assert staff.hidden
    assert isinstance(staff, StaffWithKey) == kind.has_materials
    if isinstance(room, Room):
        assert isinstance(staff, StaffWithKey)
        assert room.name == kind.name
        assert get_template(staff.key_page)
        assert staff.file is not None
        assert staff.file.path == room.path
        assert isinstance(staff, Reader)
        assert set(staff.said) == {*staff.verdicts, "withdrawn"}
        assert list((SCRIPTS / kind.name).glob("*.js"))
    for pack in all_packs():
        if pack.kind == kind.key:
            assert ("materials" in pack.data) == kind.has_materials
            assert any(pack.public_workloads(level) for level in pack.levels) == kind.is_run


def _modules() -> Iterator[Path]:
    """Ours in which a kind's name is out of place: not its own folder or modules, and no tests."""
    homes = {kind.name for kind in KINDS}
    for package in ("platform", "graders"):
        for path in (ROOT / package).rglob("*.py"):
            parts = {*path.relative_to(ROOT).parts, path.stem, path.stem.partition("_")[0]}
            if not parts & {*homes, "tests", "migrations", "node_modules", "sdk"}:
                yield path


def _asks_for_a_kind(node: ast.AST) -> bool:
    """A comparison of somebody's kind with a word, a table by three of them, or a choice among them."""
    said = {one.value for one in ast.walk(node) if isinstance(one, ast.Constant)}
    match node:
        case ast.Compare():
            sides = {one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute)}
            sides |= {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
            return bool(said & WORDS) and bool(sides & {"kind", "workplace", "traits"})
        case ast.Dict():
            keys = {one.value for one in node.keys if isinstance(one, ast.Constant)}
            return len(keys & WORDS) >= 3
        case ast.Set() | ast.List() | ast.Tuple():
            inside = {one.value for one in node.elts if isinstance(one, ast.Constant)}
            return len(inside & WORDS) >= 3
        case ast.match_case():
            patterns = {
                one.value for one in ast.walk(node.pattern) if isinstance(one, ast.Constant)
            }
            return bool(patterns & WORDS)
    return False


@pytest.mark.parametrize(
    ("source", "asks"),
    [
        ("if exercise.kind == 'cost': pass", True),
        ("x = attempt.exercise.traits.name in ('gpu', 'automation')", True),
        ("T = {'automation': 1, 'gpu': 2, 'cost': 3}", True),
        ("match room:\n case 'bill': pass", True),
        ("x = event.kind == 'extended'", False),
        ("x = {'cost': 1.0, 'wait': 2}", False),
    ],
)
def test_the_search_for_dispatch_finds_it(source: str, asks: bool) -> None:
    assert any(map(_asks_for_a_kind, ast.walk(ast.parse(source)))) is asks


def test_nobody_else_asks_which_kind_it_is() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {ast.unparse(node)[:80]}"
        for path in _modules()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if _asks_for_a_kind(node)
    ]
    assert found == []
    asked = re.compile(r"\{%[^%]*(?:exercise\.kind|workplace\s*[!=]=|traits\.(?:key|name)\s*[!=]=)")
    pages = [path for path in (ROOT / "platform").rglob("*.html") if asked.search(path.read_text())]
    assert pages == []


def test_a_kind_that_there_is_not_is_refused() -> None:
    with pytest.raises(UnknownKind, match="no kind of exercise 'poem'"):
        kind_of("poem")
    with pytest.raises(PackInvalid, match=re.escape("poem/one/pack.toml: There is no kind")):
        check_manifest("poem/one", {"kind": "poem"})


SCRIPT = Kind("script", "script", "Scripts on a cluster", 30, 45, 10)
PACK = "script/stuck-jobs"
MANIFEST = """\
kind = "script"
version = "1.0.0"
title = "Jobs that do not start"
summary = "Write a script that makes them start."
entry = "fix.sh"
anchors = {}

[levels.mid]
minutes = 30
takehome_minutes = 45
revision_minutes = 10
public = []
measures = []
sections = [{ key = "why", title = "Why", prompt = "What was wrong?" }]
documents = [{ key = "brief", title = "Brief", kind = "markdown", file = "brief.md" }]
"""
HELD = Measure("held", "Jobs released", "%", "higher", 100.0, "Jobs that start in the end.")


class ScriptGrader(Grader):
    """Counts the jobs that a script releases."""

    needs_sandbox = False

    def run_public(self, asked: Asked, workload: str) -> RunReport:
        return unrun("A script is not tried out.")

    def grade(self, asked: Asked) -> GradeReport:
        found = 50.0 * asked.files["fix.sh"].count("scontrol release")
        return GradeReport(
            asked.pack.name,
            asked.level,
            asked.seed,
            "done",
            "Played on a fresh cluster.",
            Versions("1.0.0", "1", "1", "", "", ""),
            [Told(HELD, found, 0.0, 100.0, "Two were held.")],
        )


class ScriptPlace(Workplace):
    """The editor, but nothing is run."""

    recorded = "What your script is called."


class ScriptStaff(Staff):
    """The script's words."""

    evidence = "reviews/_program_evidence.html"
    hidden = "Which jobs started is shown."
    act, runs = "", ("", "")

    def round(
        self, attempt: Attempt, run: GradingRun | None, held: Corrected, *, sees: bool
    ) -> dict[str, Any]:
        return {"workloads": [], "code": None, "own_tests": None}


@pytest.fixture
def script_kind(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    """A pack of a kind with nothing but its entry and its parts."""
    level = tmp_path / PACK / "mid"
    (level / "template").mkdir(parents=True)
    (level.parent / "pack.toml").write_text(MANIFEST)
    (level / "template/fix.sh").write_text("#!/bin/sh\n")
    (level / "brief.md").write_text("# Brief\n\nJobs wait.\n")
    (level / "guide.md").write_text("# Guide\n\nTwo jobs are held.\n")
    rubric = load_pack("automation/queue-autoscaler").folder / "mid/rubric.toml"
    (level / "rubric.toml").write_text(rubric.read_text(encoding="utf-8"))
    monkeypatch.setattr(kinds, "KINDS", (*KINDS, SCRIPT))
    for place, made in zip(PARTS, (ScriptGrader(), ScriptPlace(), ScriptStaff()), strict=True):
        monkeypatch.setitem(sys.modules, place.format("script"), SimpleNamespace(KIND=made))
    for find in (load_pack, all_packs):
        monkeypatch.setattr(find, "__defaults__", (tmp_path,))
    monkeypatch.setattr("assessments.queue.publish", lambda *_, **__: None)
    pack_of.cache_clear()
    yield PACK
    pack_of.cache_clear()


def scripted(stage: Stage) -> Attempt:
    """Ada begins an exercise of the new kind now."""
    exercise = stage.exercise
    work, revision = default_limits("script", take_home=True)
    exercise.pack_name, exercise.kind = PACK, "script"
    exercise.limit_minutes, exercise.revision_minutes = work, revision
    exercise.save()
    return attempts.start(
        invitation=stage.invitation, exercise=exercise, policies=POLICIES, now=timezone.now()
    )


@pytest.mark.django_db
@pytest.mark.usefixtures("script_kind")
@pytest.mark.nightly
def test_a_new_kind_is_an_entry_and_its_parts() -> None:
    stage, ada = make_stage(now=timezone.now()), Client()
    assert [name for name, _ in pack_choices()] == [PACK]
    attempt = scripted(stage)
    enter(ada, stage.token)
    workspace = ada.get(reverse("workspace", args=[attempt.pk])).content.decode()
    assert "fix.sh" in workspace
    assert (
        "What your script is called." in ada.get(f"/t/{stage.token}/", follow=True).content.decode()
    )
    body = answers.starting_body(attempt)
    body["files"]["fix.sh"] += "scontrol release 7\n"
    attempts.submit(
        attempt.pk, client=uuid.uuid4(), seq=1, base=None, body=body, now=timezone.now()
    )
    run = GradingRun.objects.get(submission__attempt=attempt)
    assert execution.execute_grading(run.pk)
    run.refresh_from_db()
    assert (run.result, (run.report or {})["score"]) == ("done", 0.5)
    assign(attempt=attempt, evaluator=stage.ines, by=stage.rhea, now=timezone.now())
    ines = Client()
    ines.force_login(stage.ines)
    attempt_page = reverse("admin:attempt", args=[attempt.pk])
    before = ines.get(attempt_page).content.decode()
    assert "Which jobs started is shown." in before
    assert "Jobs released" not in before
    assert "Runs" not in before
    score_all(Attempt.objects.get(pk=attempt.pk), stage.ines, now=timezone.now())
    assert "Jobs released" in ines.get(attempt_page).content.decode()
    assert ines.get(reverse("admin:score", args=[attempt.pk, 1])).status_code == 200
    for page in ("work-history", "defence", "feedback", "compare"):
        assert ines.get(reverse(f"admin:{page}", args=[attempt.pk])).status_code == 200, page
    for page in ("key", "attempt-room"):
        assert ines.get(reverse(f"admin:{page}", args=[attempt.pk])).status_code == 404
    hana = Client()
    hana.force_login(stage.hana)
    assert hana.get(reverse("admin:report", args=[attempt.pk])).status_code == 200


def test_pseudocode_has_a_workplace_of_its_own() -> None:
    exercise = SimpleNamespace(is_measured=False, answer_form=AnswerForm.PSEUDOCODE)
    assert list(workplace_of(exercise).template(SimpleNamespace())) == ["design.md"]  # type: ignore[arg-type]
