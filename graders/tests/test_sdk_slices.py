from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from graders.inprocess import run_trusted, sdk
from graders.session import EpisodeSession
from sandbox import CallRefused
from scenarios.company.profile import DEFAULT
from scenarios.packs import load_pack
from scenarios.worlds.mig_sharing import WORLD

PACK = load_pack("automation/mig-sharing")


def session(level: str = "mid", *, faults: bool = False) -> EpisodeSession:
    day = WORLD.open(DEFAULT, PACK.settings(level), "diurnal", "sdk", faults=faults)
    return EpisodeSession(day, WORLD.methods)


def play(program: str, level: str = "mid") -> None:
    """Run a program's body for one tick of a day without API faults; its asserts are the test."""
    body = "\n".join(f"    {line}" for line in program.strip().splitlines())
    run_trusted(
        f"import headnode_sdk as sdk\ndef control(c):\n    c.tick()\n{body}\n", session(level)
    )


def test_gpus_and_instances_speak_for_themselves() -> None:
    play("""
gpus = c.mig_gpus()
assert len(gpus) == 40 and c.read_at == c.now == 120
first, last = gpus[0], gpus[7]
assert (first.name, first.mig, first.empty, first.whole) == ("n01/0", True, True, False)
assert [one.name for one in first.instances[:2]] == ["n01/0/0", "n01/0/1"]
assert all(one.free and one.profile == "1g.10gb" for one in first.instances)
assert last.whole and last.empty and last.instances == []
""")


def test_a_replica_is_placed_counted_and_evicted() -> None:
    play("""
service = next(s for s in c.services() if s.profile == "1g.10gb")
assert (service.missing, service.surplus) == (service.wanted, 0)
assert c.place(service.name, "n01/0/0") > c.now
held = c.mig_gpus()[0]
assert held.instances[0].service == service.name and not held.empty
now = next(s for s in c.services() if s.name == service.name)
assert now.starting == 1 and now.missing == service.wanted - 1
c.evict(service.name, "n01/0/0")
assert c.mig_gpus()[0].empty
""")


def test_layouts_gangs_and_bills_go_through() -> None:
    play("""
c.set_layout("n01/0", ["3g.40gb", "4g.40gb"])
assert c.mig_gpus()[0].state == "changing"
job = next(job for job in c.jobs() if job.state == "pending")
whole = [gpu.name for gpu in c.mig_gpus() if gpu.whole]
started = c.start_gang(job.id, whole[:job.gpus])
assert started.job == job.id and 0 < started.speed <= 100
assert c.preempt(job.id) is bool(job.checkpoint)
while c.now < 3600:
    c.tick()
for tenant in c.tenants():
    c.bill(tenant.name, 0, {"1g.10gb": 0.5, "gpu": 120})
assert all(node.rdma for node in c.nodes())
""")


def test_refusals_come_as_their_classes() -> None:
    play("""
for kind, act in (
    (sdk.InvalidRequest, lambda: c.set_layout("n01/0", ["7g.80gb"] * 2)),
    (sdk.InvalidRequest, lambda: c.bill("aster", 0, {"1g.10gb": -1.0})),
    (sdk.NotFound, lambda: c.evict("nobody", "n01/0/0")),
    (sdk.Conflict, lambda: c.bill("aster", 5, {})),
    (sdk.InvalidRequest, lambda: c.scale("ondemand", 3)),
    (sdk.InvalidRequest, lambda: c.metrics()),
):
    try:
        act()
    except kind:
        continue
    raise AssertionError(kind)
""")


def test_sizes_of_profiles() -> None:
    size_of, fits = sdk().size_of, sdk().fits
    assert [size_of(name) for name in ("1g.5gb", "2g.20gb", "7g.141gb")] == [
        (1, 5),
        (2, 20),
        (7, 141),
    ]
    assert fits("3g.40gb", "1g.20gb")
    assert not fits("2g.10gb", "1g.20gb")
    assert not fits("1g.20gb", "2g.20gb")
    with pytest.raises(ValueError, match="invalid literal"):
        size_of("gpu")


@pytest.mark.parametrize("level", PACK.levels)
@pytest.mark.by_day(but=["senior"])
def test_a_template_plays_the_day_as_it_is(
    level: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path, text in PACK.template(level).items():
        (tmp_path / path).write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("controller", "policy", "layouts"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    day = WORLD.open(DEFAULT, PACK.settings(level), "burst", "template")
    call = EpisodeSession(day, WORLD.methods).call
    monkeypatch.setattr(sdk(), "connect", lambda: sdk().Cluster(_calls(call)))
    importlib.import_module("controller").main()
    assert day.complete
    assert day.figures()["ticks"] == 720
    assert level == "senior" or day.figures()["ready_h"] > 0


def _calls(call: Callable[[str, dict[str, object]], object]) -> Callable[..., object]:
    def ask(method: str, **params: object) -> object:
        try:
            return call(method, params)
        except CallRefused as refusal:
            raise sdk().ApiError(refusal.code, refusal.message) from None

    return ask
