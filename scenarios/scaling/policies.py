"""Policies that a plan may change, what each does and what it costs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from scenarios.company.profile.tables import PolicyValue
from scenarios.scaling.plan import Change, Plan
from scenarios.scaling.scene import Scene


@dataclass(frozen=True, slots=True)
class Policy:
    """kind: yes_no, number or choice. `default` holds before the year; low, high: bounds of a number."""

    policy: str
    title: str
    about: str
    kind: str
    unit: str = ""
    choices: tuple[str, ...] = ()
    default: PolicyValue = False
    low: float = 0.0
    high: float = 0.0


MIG_PART = 0.5
"""GPUs that a session of one GPU takes where GPUs are cut: half of one on average, as some need it whole."""
TIGHT_IDLE_H = 1.0
"""A limit below this ends sessions whose user is at lunch: they start again and repeat work."""

_ALL = (
    Policy(
        "idle_notebook_limit_h",
        "End idle sessions after",
        "A session whose GPUs did nothing for so long is ended, and its GPUs are free. 0 is never. "
        f"Below {TIGHT_IDLE_H:g} hour, people lose sessions in breaks and repeat a part of their work.",
        "number",
        "h",
        high=72.0,
    ),
    Policy(
        "mig_for_small",
        "Cut GPUs for sessions (MIG)",
        "Sessions of one GPU get a slice: two fit on a GPU on average. Slices are a tenth slower, have no "
        "NVLink, and work that asks for two GPUs or more never runs on them.",
        "yes_no",
    ),
    Policy(
        "defragment",
        "Pack small jobs",
        "Jobs of less than a node are put on as few nodes as hold them, and moved together at checkpoints: "
        "more whole nodes are free for large jobs. Moving costs small jobs about 2 % of their time.",
        "yes_no",
    ),
    Policy(
        "share_idle_quota",
        "Lend idle quota",
        "A class may use GPUs of another's quota while they stand free. Who lent them waits at most for the "
        "end of the jobs on them.",
        "yes_no",
    ),
    Policy(
        "preemption",
        "Stop low priority for serving",
        "Serving may take any GPU. When none is free, batch and then fine-tuning are stopped at once and queue "
        "again. They repeat what they did since their last checkpoint.",
        "yes_no",
    ),
    Policy(
        "serving_reserve_gpus",
        "Keep GPUs for serving",
        "Serving has so many own GPUs at every hour, where its fixed part is less; no other work starts on "
        "them. Those that it does not need at night stand idle.",
        "number",
        "GPUs",
        high=100_000.0,
    ),
    Policy(
        "checkpoint_to_nvme",
        "Checkpoint to local NVMe first",
        "Checkpoints go to the node's disks and are copied to storage slowly: their bursts fall by four "
        "fifths. A node that fails loses the newest one, so that its job repeats twice as much.",
        "yes_no",
    ),
    Policy(
        "cache_on_nvme",
        "Cache data sets on local NVMe",
        "Data sets are kept on the node's disks after the first pass: reads from storage fall by half. "
        "Jobs read the first pass slowly and take 1 % longer.",
        "yes_no",
    ),
    Policy(
        "topology_aware",
        "Place jobs below few leaves",
        "Jobs of several nodes are put where their traffic crosses the spine least: it falls by 45 %. A job "
        "waits for the right nodes: large jobs find a twentieth fewer nodes free.",
        "yes_no",
    ),
    Policy(
        "burst_after_h",
        "Use GPUs on demand after",
        "A job that waited so long may start on rented GPUs that are paid by use (on demand, spot). Those "
        "that are reserved are used at once, as they are paid for.",
        "number",
        "h",
        high=168.0,
    ),
    Policy(
        "night_batch",
        "Batch at night only",
        "Batch starts from 20:00 to 6:00 alone, when serving and people need less. It waits for the evening.",
        "yes_no",
    ),
    Policy(
        "cloud_link_gbps",
        "Line to the cloud",
        "Speed of the line over which work in the cloud reads its data. Each Gb/s is rented by the month; "
        "on a line that is too slow, work in the cloud runs slower while its GPUs are paid.",
        "number",
        "Gb/s",
        low=1.0,
        high=100_000.0,
    ),
)


def policies(scene: Scene) -> Mapping[str, Policy]:
    """Key -> policy, those that the scene's level may change."""
    return {
        one.policy: Policy(
            one.policy,
            one.title,
            one.about,
            one.kind,
            one.unit,
            one.choices,
            scene.before[one.policy],
            one.low,
            one.high if one.policy != "serving_reserve_gpus" else float(scene.gpus),
        )
        for one in _ALL
        if one.policy in scene.before
    }


_WORDS = {"yes": True, "true": True, "no": False, "false": False}


def _meant(policy: Policy, value: object) -> object:
    """What a text stands for: yes, no, or a number; other values as they are."""
    if not isinstance(value, str) or policy.kind == "choice":
        return value
    if policy.kind == "yes_no":
        return _WORDS.get(value.strip().lower(), value)
    try:
        number = float(value)
    except ValueError:
        return value
    return number if math.isfinite(number) else value


def checked(policy: Policy, value: object) -> PolicyValue | None:
    """The value as the policy takes it; None where it takes no such value."""
    value = _meant(policy, value)
    if policy.kind == "yes_no":
        return value if isinstance(value, bool) else None
    if policy.kind == "choice":
        return str(value) if value in policy.choices else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if policy.low <= value <= policy.high else None


@dataclass(frozen=True, slots=True)
class Held:
    """The policies of one month, as the model reads them."""

    idle_limit_h: float
    mig: bool
    pack: bool
    lend: bool
    preempt: bool
    reserve: float
    nvme_checkpoints: bool
    cache: bool
    topology: bool
    burst_after_h: float
    night_batch: bool
    link_gbps: float


_FIELDS = {
    "idle_notebook_limit_h": "idle_limit_h",
    "mig_for_small": "mig",
    "defragment": "pack",
    "share_idle_quota": "lend",
    "preemption": "preempt",
    "serving_reserve_gpus": "reserve",
    "checkpoint_to_nvme": "nvme_checkpoints",
    "cache_on_nvme": "cache",
    "topology_aware": "topology",
    "burst_after_h": "burst_after_h",
    "night_batch": "night_batch",
    "cloud_link_gbps": "link_gbps",
}
_UNCHANGED = Held(0.0, False, False, True, False, 0.0, False, False, False, 4.0, False, 10.0)


def held(scene: Scene, plan: Plan) -> tuple[Held, ...]:
    """What holds in each of the months: the last change counts; what cannot be read changes nothing."""
    known = policies(scene)
    names = [month.name for month in scene.months]
    values: dict[str, PolicyValue] = dict(scene.before)
    found = []
    for name in names:
        for change in _of(plan, name):
            value = checked(known[change.policy], change.value) if change.policy in known else None
            if value is not None:
                values[change.policy] = value
        found.append(_held(values, scene))
    return tuple(found)


def before(scene: Scene) -> Held:
    """What holds before the year."""
    return _held(scene.before, scene)


def _of(plan: Plan, month: str) -> list[Change]:
    return [one for one in plan.policies if one.month == month]


def _held(values: Mapping[str, PolicyValue], scene: Scene) -> Held:
    found = {name: getattr(_UNCHANGED, name) for name in Held.__dataclass_fields__}
    found["link_gbps"] = scene.link_gbps
    found |= {_FIELDS[name]: value for name, value in values.items()}
    return Held(**found)
