"""Programs that read and ask for everything inside a real sandbox, and what must not be in what they find."""

from __future__ import annotations

import base64
import inspect
import json
import pkgutil
import zlib
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from graders import playing
from graders.goldens import golden_names, play_golden
from graders.playing import play, spec_for
from graders.session import EpisodeSession
from graders.tests.sandboxes import backend
from graders.workloads import HIDDEN_KEY, PUBLIC_KEY, hidden_workloads
from sandbox import Backend, CallRefused, Limits
from scenarios import worlds
from scenarios.company.profile import DEFAULT
from scenarios.packs import Pack, all_packs, load_pack

__all__ = ["backend"]

SEED = 37
PACKS = [pack.name for pack in all_packs() if pack.kind == "automation"]
ROOMY = Limits(wall_s=600.0, output_kb=96 * 1024, cpu_s=50.0, memory_mb=1024)
CANARY = "canary " + "of the reader"
LEAST = 40
"""Characters of a line below which it could stand in any text by chance."""

READER = '''
"""Collects everything that can be read from in here, and prints it packed."""
import base64, gc, os, sys, zlib
import headnode_sdk

canary = "canary " + "of the reader"
cluster = headnode_sdk.connect()
cluster.tick()
found = [repr(sorted(os.environ.items())), repr(sys.argv), repr(sys.path), repr(sorted(sys.modules))]


def read(path, most=1 << 20):
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read(most) or b""
    except OSError as error:
        return repr(error).encode()


def keep(label, body):
    found.append(label)
    found.append(body.decode("latin-1"))


for folder, _, names in os.walk("/"):
    if folder.startswith(("/proc/", "/sys", "/usr/lib", "/usr/share")):
        continue
    for name in names:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            keep(path, read(path))
for pid in [one for one in os.listdir("/proc") if one.isdigit()]:
    for name in ("cmdline", "environ", "status", "maps", "mountinfo", "stat", "cgroup", "limits", "stack"):
        keep(f"/proc/{pid}/{name}", read(f"/proc/{pid}/{name}"))
for fd in os.listdir("/proc/self/fd"):
    try:
        found.append(fd + os.readlink(f"/proc/self/fd/{fd}"))
    except OSError:
        pass
for thing in gc.get_objects():
    try:
        if isinstance(thing, (dict, list, tuple, set)) and len(thing) < 5000:
            found.append(repr(thing)[:20000])
    except Exception:
        pass
packer = zlib.compressobj(1)
packed = [packer.compress("\\n".join(found).encode("utf-8", "replace"))]
size = 0
for pid in ["self"] + ["1"] * (os.getpid() != 1):
    for line in read(f"/proc/{pid}/maps").decode().splitlines():
        span, mode = line.split()[:2]
        low, high = (int(part, 16) for part in span.split("-"))
        if "rw" not in mode or high - low > 64 << 20:
            continue
        try:
            with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
                memory.seek(low)
                body = memory.read(high - low)
        except (OSError, ValueError):
            continue
        size += len(body)
        packed.append(packer.compress(body))
packed.append(packer.flush())
print(size, base64.b64encode(b"".join(packed)).decode())
'''

ASKER = '''
"""Asks the other end for every name it was told, in every way it can think of."""
import sys
import headnode_sdk
from headnode_sdk import ApiError

names = open("/box/names.txt").read().split()
told = 0


def ask(name, /, **params):
    global told
    try:
        headnode_sdk.call(name, **params)
        told += 1
    except ApiError:
        pass


ask("tick")
ways = ({}, {"name": "seed"}, {"self": 1}, {"path": "/etc/passwd"}, {"key": "seed", "value": 0})
for name in names:
    for way in ways:
        ask(name, **way)
odd = ("__class__.__init__.__globals__", "tick.__func__", "../figures", "figures()", "a" * 60)
for name in odd:
    ask(name)
for verb in ("scale", "release", "log", "preempt"):
    for value in (None, True, 1e300, -1, 10**12, "", "__dict__", ["seed"], {"seed": 1}, "x" * 30000):
        for parameter in ("pool", "node", "job", "text", "size"):
            ask(verb, **{parameter: value})
print(told)
'''


class Recorder(EpisodeSession):
    """Keeps every answer that goes to the program, refusals too."""

    sent: list[str]

    def call(self, method: str, params: dict[str, object]) -> object:
        try:
            answer = super().call(method, params)
        except CallRefused as refusal:
            self.sent.append(f"{refusal.code} {refusal.message}")
            raise
        self.sent.append(json.dumps(answer))
        return answer


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    told: list[str] = []
    monkeypatch.setattr(Recorder, "sent", told, raising=False)
    monkeypatch.setattr(playing, "EpisodeSession", Recorder)
    monkeypatch.setattr(playing, "LIMITS", ROOMY)
    return told


def level_of(pack: Pack) -> str:
    return "mid" if "mid" in pack.levels else pack.levels[0]


def lines(text: str) -> Iterator[str]:
    yield from (line.strip() for line in text.splitlines() if len(line.strip()) >= LEAST)


def given(pack: Pack, level: str) -> str:
    """What every candidate may read: the SDK, the template, the documents."""
    shown = [body.decode() for body in playing.sdk_files().values()]
    shown += pack.template(level).values()
    shown += [document.text for document in pack.documents(level, seed=SEED)]
    return "\n".join(shown)


@cache
def anchors(name: str) -> frozenset[str]:
    """What the two anchors come to on the workload that is played, and the scores between them."""
    pack = load_pack(name)
    level = level_of(pack)
    played = play_golden(pack, level, "competent", hidden_workloads(pack, level, SEED)[:1])
    figures = [repr(value) for one in played for value in (one.naive, one.reference, one.score)]
    return frozenset(figure for figure in figures if len(figure) >= 10)


def secrets(pack: Pack, level: str) -> set[str]:
    """Strings that only the judge knows."""
    found = {HIDDEN_KEY.decode(), PUBLIC_KEY.decode(), *anchors(pack.name)}
    for one in hidden_workloads(pack, level, SEED):
        found |= {one.seed, one.seed[:16], one.seed[16:]}
    texts = [pack.guide(level), (pack.folder / level / "rubric.toml").read_text(encoding="utf-8")]
    texts += [pack.golden(level, name) for name in golden_names(pack)]
    texts.append((pack.folder / "goldens" / "goldens.toml").read_text(encoding="utf-8"))
    public = given(pack, level) + READER + ASKER
    found |= {line for text in texts for line in lines(text) if line not in public}
    assert len(found) > 60
    return found


def leaked(pack: Pack, level: str, seen: str) -> list[str]:
    return sorted(one for one in secrets(pack, level) if one in seen)


def names_of(pack: Pack) -> list[str]:
    """Every attribute, method and field name of the pack's world and of what it stands on."""
    found = {
        "score",
        "seed",
        "families",
        "grade",
        "reference",
        "naive",
        "finish",
        "__dict__",
        "__class__",
    }
    folder = Path(worlds.__file__).parent / pack.world.name
    modules = [f"scenarios.worlds.{pack.world.name}"]
    modules += [f"{modules[0]}.{one.name}" for one in pkgutil.iter_modules([str(folder)])]
    for module in [import_module(one) for one in modules if not one.endswith(".tests")]:
        for name, thing in vars(module).items():
            found.add(name)
            if inspect.isclass(thing):
                found |= set(dir(thing)) | set(getattr(thing, "__annotations__", {}))
    for _, kind in inspect.getmembers(import_module("graders.workloads"), inspect.isclass):
        found |= set(dir(kind))
    return sorted(one for one in found if one not in pack.world.methods or one == "tick")


def unpacked(stdout: str) -> tuple[int, str]:
    size, _, body = stdout.partition(" ")
    text = zlib.decompress(base64.b64decode(body)).decode("latin-1")
    return int(size), text


def ran(name: str, files: dict[str, str], where: Backend) -> tuple[Pack, str, Any]:
    pack = load_pack(name)
    level = level_of(pack)
    renamed = {pack.entry if path == "entry" else path: text for path, text in files.items()}
    workload = hidden_workloads(pack, level, SEED)[0]
    played = play(spec_for(pack, renamed), workload, where, DEFAULT)
    return pack, level, played.outcome


# What lies in the sandbox is put there by the same code for all packs, once with further files (Slurm's).
@pytest.mark.by_day("name", ["automation/queue-autoscaler"])
@pytest.mark.parametrize("name", PACKS)
def test_program_that_reads_everything_finds_no_secret(
    name: str, backend: Backend, sent: list[str]
) -> None:
    pack, level, outcome = ran(name, {"entry": READER}, backend)
    assert outcome.status == "incomplete", (outcome.detail, outcome.stderr)
    size, seen = unpacked(outcome.stdout)
    assert size > 1 << 20
    assert CANARY in seen
    assert "HEADNODE_CHANNEL_FD" in seen
    assert leaked(pack, level, seen + "".join(sent)) == []


@pytest.mark.parametrize("name", PACKS)
@pytest.mark.by_day(ids=["automation/spot-checkpointing"])
def test_program_that_asks_for_everything_is_told_no_secret(
    name: str, backend: Backend, sent: list[str]
) -> None:
    names = names_of(load_pack(name))
    assert {"figures", "run_out", "seed"} <= set(names)
    pack, level, outcome = ran(name, {"entry": ASKER, "names.txt": "\n".join(names)}, backend)
    assert outcome.status == "incomplete", (outcome.detail, outcome.stderr)
    assert len(sent) > 5 * len(names)
    assert leaked(pack, level, "\n".join(sent) + outcome.stdout + outcome.stderr) == []


@pytest.mark.nightly
def test_a_secret_that_did_leak_would_be_found(backend: Backend, sent: list[str]) -> None:
    pack = load_pack(PACKS[0])
    level = level_of(pack)
    seed = hidden_workloads(pack, level, SEED)[2].seed
    told = READER.replace("canary =", f"leak = bytes.fromhex({seed.encode().hex()!r})\ncanary =", 1)
    _, _, outcome = ran(pack.name, {"entry": told}, backend)
    assert leaked(pack, level, unpacked(outcome.stdout)[1])
