from __future__ import annotations

import json
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from scenarios.company.profile import DEFAULT, Profile
from scenarios.packs.generated import Generator, Written, load_generator
from scenarios.scaling import variant
from scenarios.scaling.bottlenecks import BOTTLENECKS
from scenarios.scaling.content import rows
from scenarios.scaling.draw import scene_of
from scenarios.scaling.notes import notes

HOURS = 90 * 24
SMALL = Profile(cluster="vale", nodes=8, gpus_per_node=4, gpu="A100")


def frames(folder: Path, written: list[Written]) -> dict[str, pd.DataFrame]:
    return {
        one.path: pd.read_csv(folder / one.path, sep="|" if one.path.endswith("jobs.csv") else ",")
        for one in written
        if one.kind == "csv"
    }


@pytest.fixture(scope="module")
def tables(written: tuple[Path, list[Written]]) -> dict[str, pd.DataFrame]:
    return frames(*written)


def test_it_is_a_generator() -> None:
    found = load_generator("scaling")
    assert isinstance(found, Generator)
    assert set(found.LEVELS) == {"junior", "mid", "senior"}
    assert set(found.words(DEFAULT, "mid", 1)) == set(found.WORDS)


def test_the_same_seed_writes_the_same_bytes(
    written: tuple[Path, list[Written]], tmp_path: Path
) -> None:
    folder, first = written
    scene_of.cache_clear()
    again = variant.write(tmp_path, DEFAULT, "senior", 3)
    assert again == first
    for one in again:
        assert _digest(tmp_path / one.path) == _digest(folder / one.path), one.path


def _digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


@pytest.mark.nightly
def test_another_seed_is_another_year(written: tuple[Path, list[Written]], tmp_path: Path) -> None:
    folder, _ = written
    variant.write(tmp_path, DEFAULT, "senior", 4)
    for path in ("history/gpus.csv", "history/jobs.csv", "documents/notes.md"):
        assert _digest(tmp_path / path) != _digest(folder / path)


def test_hourly_files_have_every_hour_once(tables: dict[str, pd.DataFrame]) -> None:
    for name in ("gpus", "queue", "storage", "network", "power"):
        frame = tables[f"history/{name}.csv"]
        times = pd.to_datetime(frame["time"])
        assert len(frame) == HOURS
        assert (times.diff().dropna() == pd.Timedelta(hours=1)).all()
        numbers = frame.drop(columns="time")
        assert (numbers >= 0).all(axis=None)
        assert numbers.notna().all(axis=None)


def test_no_more_gpus_are_in_use_than_there_are(tables: dict[str, pd.DataFrame]) -> None:
    scene = scene_of(DEFAULT, "senior", 3)
    frame = tables["history/gpus.csv"]
    held = frame[[f"{work.job_class}_gpus" for work in scene.work]].sum(axis=1)
    assert (held <= scene.gpus + 0.01 * scene.gpus).all()
    assert (held + frame["unallocated_gpus"] >= scene.gpus - 0.1).all()
    assert (frame["sessions_without_activity_gpus"] <= frame["interactive_gpus"] + 0.01).all()


def test_power_stays_within_the_limit_of_each_site(tables: dict[str, pd.DataFrame]) -> None:
    frame = tables["history/power.csv"]
    names = [str(name) for name in frame]
    sites = [name.removesuffix("_limit_kw") for name in names if name.endswith("_limit_kw")]
    assert len(sites) == 2
    for site in sites:
        assert (frame[f"{site}_kw"] <= frame[f"{site}_limit_kw"]).all()
        assert frame[f"{site}_kw"].min() > 0


def test_teams_of_a_day_are_the_gpu_hours_of_that_day(tables: dict[str, pd.DataFrame]) -> None:
    scene = scene_of(DEFAULT, "senior", 3)
    teams, gpus = tables["history/teams.csv"], tables["history/gpus.csv"]
    own = teams.drop(columns=["day", "all"])
    assert ((own.sum(axis=1) - teams["all"]).abs() < 0.05).all()
    held = gpus[[f"{work.job_class}_gpus" for work in scene.work]].sum(axis=1)
    days = held.groupby(gpus["time"].str[:10]).sum()
    assert ((days.to_numpy() - teams["all"].to_numpy()).__abs__() < 0.6).all()


def test_jobs_come_to_about_what_the_hours_count(tables: dict[str, pd.DataFrame]) -> None:
    scene = scene_of(DEFAULT, "senior", 3)
    jobs, gpus = tables["history/jobs.csv"], tables["history/gpus.csv"]
    first = pd.to_datetime(gpus["time"].iloc[0])
    last = first + pd.Timedelta(hours=HOURS)
    ran = jobs[jobs["Start"] != "Unknown"].copy()
    start = pd.to_datetime(ran["Start"]).clip(lower=first)
    end = pd.to_datetime(ran["End"].replace("Unknown", f"{last:%Y-%m-%dT%H:%M:%S}")).clip(
        upper=last
    )
    size = ran["AllocTRES"].str.extract(r"gres/gpu=(\d+)")[0].astype(int)
    hours = size * (end - start).dt.total_seconds() / 3600
    partition = {row["job_class"]: row["partition"] for row in rows("accounting")}
    for work in scene.work:
        if not work.steady:
            counted = gpus[f"{work.job_class}_gpus"].sum()
            told = hours[ran["Partition"] == partition[work.job_class]].sum()
            assert told == pytest.approx(counted, rel=0.02), work.job_class


def test_schedulers_have_names_that_slurm_takes(tables: dict[str, pd.DataFrame]) -> None:
    clusters = set(tables["history/jobs.csv"]["Cluster"])
    assert DEFAULT.cluster in clusters
    assert all(re.fullmatch(r"[a-z][a-z0-9-]*", one) for one in clusters), clusters


def test_waits_of_a_day_follow_from_the_jobs(tables: dict[str, pd.DataFrame]) -> None:
    jobs, waits = tables["history/jobs.csv"], tables["history/waits.csv"]
    started = jobs[(jobs["Start"] != "Unknown") & (jobs["Partition"] == "tune")]
    hours = (
        pd.to_datetime(started["Start"]) - pd.to_datetime(started["Submit"])
    ).dt.total_seconds() / 3600
    assert hours.min() >= 0
    assert waits["fine_tuning_jobs"].sum() == pytest.approx(len(started), rel=0.02)
    assert waits["fine_tuning_p95_h"].max() == pytest.approx(hours.max(), abs=0.2) or (
        waits["fine_tuning_p95_h"].max() <= hours.max()
    )


def test_charts_name_columns_that_are_there(tables: dict[str, pd.DataFrame]) -> None:
    told = variant.facts(DEFAULT, "senior", 3)
    charts = told["charts"]
    assert isinstance(charts, list)
    assert len(charts) >= 8
    for chart in charts:
        frame = tables[chart["path"]]
        assert chart["x"] in frame
        for series in chart["series"]:
            assert series["column"] in frame, chart["title"]
            assert pd.api.types.is_numeric_dtype(frame[series["column"]])
            assert series["unit"]


def test_nothing_of_the_key_is_in_what_a_candidate_gets(
    written: tuple[Path, list[Written]],
) -> None:
    folder, files = written
    key = variant.key(DEFAULT, "senior", 3)
    told = json.dumps(variant.facts(DEFAULT, "senior", 3)) + json.dumps(
        variant.words(DEFAULT, "senior", 3)
    )
    told += "".join((folder / one.path).read_text(encoding="utf-8") for one in files)
    for one in key["bottlenecks"]:  # type: ignore[attr-defined]
        assert one["title"] not in told
        assert one["reading"] not in told
        assert str(one["strength"]) not in json.dumps(variant.facts(DEFAULT, "senior", 3))
    for note in notes(scene_of(DEFAULT, "senior", 3)):
        assert note.why not in told
    assert "seed" not in told.lower()
    assert not [one for one in BOTTLENECKS.values() if one.title in told]


def test_the_key_has_the_truth_and_two_plans() -> None:
    key: dict[str, Any] = variant.key(DEFAULT, "mid", 2)
    assert json.loads(json.dumps(key)) == key
    scene = scene_of(DEFAULT, "mid", 2)
    assert [one["key"] for one in key["bottlenecks"]] == [one.key for one in scene.bottlenecks]
    assert len(key["no_bottlenecks"]) == len(BOTTLENECKS) - len(scene.bottlenecks)
    for plan in ("naive", "reference"):
        assert {one["key"] for one in key[plan]["figures"]} >= {"wait_p95_h", "delivered"}
    assert key["common_mistakes"]
    assert all(one["cured_by"] and one["shown_in"] for one in key["bottlenecks"])


def test_a_small_cluster_gets_its_materials_and_a_tiny_one_is_refused(tmp_path: Path) -> None:
    written = variant.write(tmp_path, SMALL, "mid", 1)
    tables = frames(tmp_path, written)
    assert len(tables["history/gpus.csv"]) == HOURS
    with pytest.raises(ValueError, match="GPUs"):
        variant.write(tmp_path, Profile(nodes=4, gpus_per_node=2), "mid", 1)
