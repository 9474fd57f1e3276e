"""E11: an attempt is about the company's cluster, and stays about the one that it began with."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assessments import company, execution, kit, pages, parts
from assessments.materials import variants
from assessments.models import Attempt, GradingPart, GradingRun
from assessments.tests.stage import NOW, PACK, Stage, begin, stage, submit
from graders.automation.grading import AutomationGrader
from library.company import keep
from library.models import CompanyProfile
from scenarios.company.profile import DEFAULT, Profile, complete, parse_profile

__all__ = ["stage"]
NORDLYS = parse_profile({"cluster": {"name": "Nordlys", "nodes": 24, "gpu_model": "H200"}})


def chosen(stage: Stage, profile: Profile = NORDLYS) -> CompanyProfile:
    """The opening is about that company's cluster."""
    row = keep(profile, old=stage.opening.company, origin="form", by=stage.rhea, now=NOW)
    stage.opening.company = row
    stage.opening.save()
    return row


@pytest.fixture
def attempt(stage: Stage) -> Attempt:
    chosen(stage)
    return begin(stage)


def test_without_a_profile_everything_is_as_before(stage: Stage) -> None:
    attempt = begin(stage)
    assert attempt.company == ""
    assert company.of_attempt(attempt) is DEFAULT
    assert variants._folder(PACK, "mid", 7, "a" * 64, attempt.company).name == (
        "automation-queue-autoscaler-mid-7-aaaaaaaaaaaa"
    )
    assert execution.with_pack(attempt, {"status": "done"}) == {"status": "done"}


def test_attempt_keeps_the_profile_that_it_began_with(stage: Stage, attempt: Attempt) -> None:
    chosen(stage, parse_profile({"cluster": {"name": "Aurora", "nodes": 10}}))
    attempt = Attempt.objects.get(pk=attempt.pk)
    assert company.of_opening(stage.opening).cluster == "Aurora"
    assert company.of_attempt(attempt) == complete(NORDLYS)


def test_workspace_and_kit_are_about_the_companys_cluster(attempt: Attempt) -> None:
    shown = " ".join(one.text for one in pages._documents(attempt))
    assert "Nordlys" in shown
    assert "halo" not in shown
    _, body = kit.archive(attempt)
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        name = next(one for one in archive.namelist() if one.endswith("/workloads.json"))
        data = json.loads(archive.read(name))
        text = b"".join(archive.read(one) for one in archive.namelist() if "documents/" in one)
    assert data["profile"] == NORDLYS.basics()
    assert b"Nordlys" in text


def test_grading_and_reproducing_play_on_it_and_say_so(
    attempt: Attempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit(attempt, "Plain.", at=NOW)
    run = GradingRun.objects.get()
    seen: list[Any] = []

    class Report:
        def to_dict(self) -> dict[str, Any]:
            return {"status": "done"}

    def grade(*_: Any, profile: Profile, **__: Any) -> Report:
        seen.append(profile)
        return Report()

    monkeypatch.setattr(execution, "grade", grade)
    monkeypatch.setattr(execution, "sandbox", lambda: None)
    report = execution.graded(run)
    assert seen == [complete(NORDLYS)]
    assert report["company"] == company.mark(attempt.company)


def test_parts_of_a_grading_play_on_it_too(
    attempt: Attempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit(attempt, "Plain.", at=NOW)
    run = GradingRun.objects.get()
    part = GradingPart.objects.create(grading_run=run, number=1, created_at=NOW)
    seen: list[Profile] = []
    monkeypatch.setattr(
        AutomationGrader, "grade_part", lambda _, asked, number: seen.append(asked.profile)
    )
    backend: Any = None

    def perform(job: GradingPart, work: Callable[[], Any], result_of: Any) -> None:
        work()

    parts.play_part(part, backend, perform)
    assert seen == [complete(NORDLYS)]


def test_variant_is_built_from_it_in_a_folder_of_its_own(
    attempt: Attempt, tmp_path: Path, settings: Any
) -> None:
    settings.VARIANTS = tmp_path
    folder = variants.folder_of(PACK, "mid", 7, company=attempt.company)
    assert folder.name.endswith(company.mark(attempt.company))
    assert "Nordlys" in (folder / "brief.md").read_text()
    assert list(tmp_path.glob(".*")) == []
    assert variants.folder_of(PACK, "mid", 7, company=attempt.company) == folder
