"""The materials made by the world: formats as the tools print them."""

from __future__ import annotations

import re

import pytest

from scenarios.company.profile import DEFAULT, Profile
from scenarios.worlds.gpu_idle_alerts.documents import DOCUMENTS, words
from scenarios.worlds.gpu_idle_alerts.setting import Setting
from scenarios.worlds.gpu_idle_alerts.tests.stretches import ONE, TEN, THREE

LINE = re.compile(r'^(DCGM_FI_\w+)\{(\w+="[^"]*"(?:,\w+="[^"]*")*)\} (-?[0-9.]+)$')
LEVELS = pytest.mark.parametrize("setting", [ONE, THREE, TEN])


def made(name: str, setting: Setting, profile: Profile = DEFAULT) -> list[str]:
    text = DOCUMENTS[name](profile, setting, "7")
    assert text.endswith("\n")
    return text.splitlines()


@LEVELS
def test_metrics_are_prometheus_text_with_each_family_declared_once(setting: Setting) -> None:
    lines = made("metrics.prom", setting)
    declared = [line.split()[2] for line in lines if line.startswith("# TYPE")]
    assert len(declared) == len(set(declared))
    series = set()
    for line in (line for line in lines if not line.startswith("#")):
        found = LINE.match(line)
        assert found, line
        assert found[1] in declared
        assert (found[1], found[2]) not in series
        series.add((found[1], found[2]))


def test_slices_carry_their_instance_and_the_whole_gpu_no_utilisation() -> None:
    lines = [line for line in made("metrics.prom", TEN) if 'Hostname="gpu-09"' in line]
    assert any('GPU_I_PROFILE="3g.40gb",GPU_I_ID="2"' in line for line in lines)
    assert not any(line.startswith("DCGM_FI_DEV_GPU_UTIL") for line in lines)
    assert any(line.startswith("DCGM_FI_PROF_GR_ENGINE_ACTIVE") for line in lines)


@LEVELS
def test_queue_has_waiting_jobs_and_squeues_columns(setting: Setting) -> None:
    head, *rows = made("squeue.txt", setting)
    wanted = "JOBID PARTITION NAME USER ST TIME NODES NODELIST(REASON)"
    assert head.split() == wanted.split()
    states = [row.split()[4] for row in rows]
    assert states.count("PD") > 3
    assert "R" in states
    assert all(len(row.split()) == 8 for row in rows)


@LEVELS
def test_accounting_is_pipe_separated(setting: Setting) -> None:
    head, *rows = made("sacct.txt", setting)
    assert head.startswith("JobID|User|Account|State|AllocTRES|Elapsed")
    assert rows
    assert all(row.count("|") == head.count("|") for row in rows)
    assert all(re.search(r"\|(\d+-)?\d\d:\d\d:\d\d\|", row) for row in rows)


@LEVELS
def test_the_log_is_of_a_job_that_crashed(setting: Setting) -> None:
    lines = made("job.log", setting)
    assert any("Traceback" in line for line in lines[-5:])
    assert "exit code 1" in lines[-1]


def test_words_speak_of_the_companys_gpu() -> None:
    company = Profile(cluster="Nordlys", gpu="A100")
    found = words(company, TEN)
    assert found["cluster"] == "Nordlys"
    assert found["gpu_product"] == "NVIDIA A100-SXM4-80GB"
    assert (found["power_limit"], found["max_temperature"]) == ("400", "85")
    lines = made("metrics.prom", THREE, company)
    assert all('modelName="NVIDIA A100-SXM4-80GB"' in x for x in lines if not x.startswith("#"))
