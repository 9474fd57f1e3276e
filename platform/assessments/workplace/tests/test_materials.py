"""The room: who may look at which materials, when they are made, and what becomes of the board (E2)."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from assessments import answers
from assessments.kinds import WRITTEN
from assessments.materials import variants
from assessments.materials.manifest import listed
from assessments.materials.packed_files import LARGE, NEVER_SENT
from assessments.models import Attempt, GradingRun
from assessments.tests.stage import NOW, Stage, begin, enter, hand_in
from assessments.troubleshooting.tests.troubleshooting_stage import (
    INCIDENT,
    LEVEL,
    SEED,
    fake_build,
    start_incident,
)
from assessments.troubleshooting.workplace import BOARD
from library.packs import pack_of

pytestmark = pytest.mark.django_db


def open_now(stage: Stage) -> None:
    """The link's window lies around the present, which the pages ask for."""
    stage.invitation.opens_at = timezone.now() - timedelta(days=1)
    stage.invitation.closes_at = timezone.now() + timedelta(days=6)
    stage.invitation.save()


@pytest.fixture
def ada(client: Client, stage: Stage, built: Path, settings: Any) -> tuple[Client, Attempt]:
    """Ada at her browser, five minutes into the exercise."""
    settings.VARIANTS = built
    open_now(stage)
    attempt = start_incident(stage, timezone.now() - timedelta(minutes=5))
    enter(client, stage.token)
    return client, attempt


def test_manifest_tells_what_there_is_and_never_the_seed(ada: tuple[Client, Attempt]) -> None:
    client, attempt = ada
    answer = client.get(reverse("room-manifest", args=[attempt.pk]))
    told = answer.json()
    assert {"path", "kind", "title", "before"} <= set(told["files"][0])
    assert told["incident"]["window"]["from_ms"] < told["incident"]["run"]["from_ms"]
    assert "seed" not in told


def test_file_comes_as_it_was_collected(ada: tuple[Client, Attempt]) -> None:
    client, attempt = ada
    path = "slurm/sacct.txt"
    answer = client.get(
        reverse("room-file", args=[attempt.pk, path]), headers={"accept-encoding": "gzip"}
    )
    folder = variants.folder_of(INCIDENT, LEVEL, SEED)
    assert gzip.decompress(answer.content) == (folder / path).read_bytes()
    assert answer["Content-Type"].startswith("text/plain")


def test_large_file_is_packed_once_and_for_all(
    ada: tuple[Client, Attempt], monkeypatch: pytest.MonkeyPatch
) -> None:
    client, attempt = ada
    folder = variants.folder_of(INCIDENT, LEVEL, SEED)
    shown = (name for name in listed(folder) if not name.endswith(NEVER_SENT))
    path = max(shown, key=lambda name: (folder / name).stat().st_size)
    assert (folder / path).stat().st_size > LARGE
    monkeypatch.delattr(gzip, "compress")
    url = reverse("room-file", args=[attempt.pk, path])
    answer = client.get(url, headers={"accept-encoding": "gzip"})
    assert answer["Content-Encoding"] == "gzip"
    assert (
        gzip.decompress(answer.content) == client.get(url).content == (folder / path).read_bytes()
    )


@pytest.mark.parametrize(
    "path", ["../keys/x.json", "nothing.txt", "manifest.json", "metrics/history.hncol", "logs"]
)
def test_only_texts_of_the_list_can_be_had(ada: tuple[Client, Attempt], path: str) -> None:
    client, attempt = ada
    url = reverse("room-manifest", args=[attempt.pk]).replace("manifest", f"files/{path}")
    assert client.get(url).status_code == 404


def test_strangers_find_no_room(ada: tuple[Client, Attempt]) -> None:
    _, attempt = ada
    answer = Client().get(reverse("room-manifest", args=[attempt.pk]))
    assert answer.status_code in (401, 403, 404)
    assert b"incident" not in answer.content


def test_room_closes_with_the_time(ada: tuple[Client, Attempt]) -> None:
    client, attempt = ada
    hand_in(attempt, answers.starting_body(attempt), at=timezone.now())
    answer = client.get(reverse("room-manifest", args=[attempt.pk]))
    assert answer.status_code == 409
    assert "Your answer is safe" in answer.json()["detail"]


def test_program_has_no_room(client: Client, stage: Stage) -> None:
    open_now(stage)
    attempt = begin(stage, timezone.now())
    enter(client, stage.token)
    assert client.get(reverse("room-manifest", args=[attempt.pk])).status_code == 404


def test_variant_is_built_once_whoever_asks(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.VARIANTS = tmp_path
    calls: list[Any] = []
    fake_build(calls, monkeypatch)
    with ThreadPoolExecutor(4) as pool:
        found = set(pool.map(lambda _: variants.folder_of(INCIDENT, LEVEL, 9), range(8)))
    assert len(found) == len(calls) == 1
    assert variants.key_of(INCIDENT, LEVEL, 9) == {"causes": []}
    assert len(calls) == 1


def test_materials_stay_what_they_were_when_the_pack_changes(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.VARIANTS = tmp_path
    calls: list[Any] = []
    fake_build(calls, monkeypatch)
    begun = variants.folder_of(INCIDENT, LEVEL, 9)
    digest = pack_of(INCIDENT).digest
    monkeypatch.setattr(
        "assessments.materials.variants.pack_of",
        lambda _: type("New", (), {"digest": "f" * 64}),
    )
    assert variants.folder_of(INCIDENT, LEVEL, 9, digest) == begun
    assert variants.folder_of(INCIDENT, LEVEL, 9) != begun


def test_broken_build_leaves_nothing_to_trip_over(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.VARIANTS = tmp_path
    failed = subprocess.CompletedProcess[str]([], 2, "", "No space left.")
    with monkeypatch.context() as patched:
        patched.setattr("assessments.materials.variants.subprocess.run", lambda *_, **__: failed)
        with pytest.raises(variants.NotBuilt, match="No space left"):
            variants.folder_of(INCIDENT, LEVEL, 9)
    fake_build([], monkeypatch)
    assert (variants.folder_of(INCIDENT, LEVEL, 9) / "manifest.json").exists()


def test_variants_that_nobody_opens_are_removed(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.VARIANTS = tmp_path
    fake_build([], monkeypatch)
    old, fresh = (variants.folder_of(INCIDENT, LEVEL, seed) for seed in (1, 2))
    now = timezone.now()
    long_ago = (now - timedelta(days=31)).timestamp()
    os.utime(old, (long_ago, long_ago))
    assert variants.prune(now) == 1
    assert not old.exists()
    assert fresh.exists()
    assert [path.stem for path in (tmp_path / "keys").iterdir()] == [fresh.name]


def test_board_and_sections_are_one_answer(stage: Stage) -> None:
    attempt = start_incident(stage)
    body = answers.starting_body(attempt)
    row = {"id": "h1", "claim": "GPU 4 of gpu-n003 throttles"}
    body["files"][BOARD] = json.dumps({"hypotheses": [row]})
    body["sections"]["issues"] = "One GPU is slow."
    graded = json.loads(answers.program(attempt, body)[WRITTEN])
    assert graded["hypotheses"] == [row]
    assert graded["sections"]["issues"] == "One GPU is slow."


@pytest.mark.parametrize("board", ["", "not JSON", "[]", '{"hypotheses"', "[" * 100_000])
def test_board_that_cannot_be_read_takes_nothing_from_the_prose(stage: Stage, board: str) -> None:
    attempt = start_incident(stage)
    body = answers.starting_body(attempt)
    body["files"][BOARD] = board
    body["sections"]["issues"] = "One GPU is slow."
    graded = json.loads(answers.program(attempt, body)[WRITTEN])
    assert graded == {"hypotheses": [], "sections": {**body["sections"]}}


def test_answer_is_graded_when_it_is_handed_in(
    stage: Stage, published: list[tuple[str, Any]]
) -> None:
    attempt = start_incident(stage)
    hand_in(attempt, answers.starting_body(attempt), at=NOW + timedelta(minutes=20))
    assert GradingRun.objects.count() == 1
