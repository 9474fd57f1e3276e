"""What of each bottleneck can be read in the history, and from which value on it tells of trouble."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from scenarios.scaling.bottlenecks import BOTTLENECKS
from scenarios.scaling.diagrams import counts
from scenarios.scaling.scene import Scene
from scenarios.scaling.traces import Traces


@dataclass(frozen=True, slots=True)
class Symptom:
    """`value` as read, in percent; at `threshold` and beyond the bottleneck is there.

    text: what is read, with a place for the value; files: where. beside: what staff should know of the rest.
    """

    key: str
    value: float
    threshold: float
    text: str
    files: tuple[str, ...]
    beside: str = ""

    @property
    def shows(self) -> bool:
        return self.value >= self.threshold

    @property
    def said(self) -> str:
        return self.text.format(value=f"{self.value:.0f} %") + self.beside


def symptoms(scene: Scene, traces: Traces) -> dict[str, Symptom]:
    """Key of a bottleneck -> its symptom, for all that there could be."""
    found = {}
    for key, kind in BOTTLENECKS.items():
        value = round(_READS[key](scene, traces), 1)
        beside = _elsewhere(scene, traces, kind.threshold) if key == "spine" else ""
        found[key] = Symptom(key, value, kind.threshold, kind.symptom, kind.files, beside)
    return found


def _part(values: Sequence[bool]) -> float:
    return 100 * sum(values) / max(1, len(values))


def _uplinks(scene: Scene, traces: Traces) -> float:
    """Hours in which the uplinks of the first site are asked for more than they carry."""
    return _part([load > 1 for load in traces.spine[scene.places[0].site.name]])


def _elsewhere(scene: Scene, traces: Traces, threshold: float) -> str:
    """Uplinks of further sites, in words: they may be full as well, and who says so is right."""
    found = ""
    for place in scene.places[1:]:
        value = _part([load > 1 for load in traces.spine[place.site.name]])
        found += f"; those of {place.site.name} in {value:.0f} %"
        if value >= threshold:
            found += ", and who names them is right"
            full = place.uplinks >= counts.linked(place) * place.fabric.rails
            if full:
                found += " (there are as many as links to nodes: placement helps there, a spine does not)"
    return found


def _storage(scene: Scene, traces: Traces) -> float:
    """Hours in which reads alone take nine tenths of the bandwidth."""
    limit = 0.9 * traces.storage_limit_gbs
    pairs = zip(traces.storage_gbs, traces.burst_gbs, strict=True)
    return _part([asked - burst > limit for asked, burst in pairs])


def _checkpoints(scene: Scene, traces: Traces) -> float:
    """Checkpoints as a part of the bandwidth, mean."""
    return 100 * sum(traces.burst_gbs) / (traces.hours * traces.storage_limit_gbs)


def _small(scene: Scene, traces: Traces) -> float:
    """GPUs free on shared nodes, of all: mean of the hours in which a job of whole nodes waits beside them."""
    hours = [one for one in traces.stranded if one > 0]
    return 100 * sum(hours) / (max(1, len(hours)) * scene.gpus)


def _idle(scene: Scene, traces: Traces) -> float:
    """GPUs of sessions that do nothing, of those that sessions hold."""
    held = sum(traces.running.get("interactive", ()))
    return 100 * sum(traces.idle) / held if held else 0.0


def _serving(scene: Scene, traces: Traces) -> float:
    """Serving that was not there in time, of what was asked for, on working days from 9 to 17."""
    late, served = 0.0, 0.0
    first = traces.start.weekday()
    for hour in range(traces.hours):
        if 9 <= hour % 24 < 17 and (first + hour // 24) % 7 < 5:
            late += traces.late[hour]
            served += sum(
                traces.running[work.job_class][hour] for work in scene.work if work.steady
            )
    return 100 * late / (late + served) if late else 0.0


def _quota(scene: Scene, traces: Traces) -> float:
    """Hours in which a training job waits at the limit of its part, though GPUs enough are free."""
    part = next((work.quota for work in scene.work if work.job_class == "training"), 1.0)
    free = [
        scene.gpus - sum(hour) - scattered
        for *hour, scattered in zip(*traces.running.values(), traces.stranded, strict=True)
    ]
    held = traces.running.get("training", ())
    found = [False] * traces.hours
    for job in traces.jobs:
        if job.job_class == "training":
            first = max(0, math.ceil(job.submitted_h))
            for hour in range(first, min(traces.hours, math.floor(job.started_h))):
                full = held[hour] + job.gpus > part * scene.gpus
                found[hour] = found[hour] or (full and free[hour] >= job.gpus)
    return _part(found)


_READS: Mapping[str, Callable[[Scene, Traces], float]] = {
    "spine": _uplinks,
    "scratch_bandwidth": _storage,
    "checkpoint_bursts": _checkpoints,
    "small_jobs": _small,
    "idle_notebooks": _idle,
    "serving_peak": _serving,
    "static_quota": _quota,
}
"""Key of a bottleneck -> how it is read, in percent."""
