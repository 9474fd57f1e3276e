"""`nvidia-smi` without arguments, and `nvidia-smi -L`."""

from __future__ import annotations

from collections.abc import Iterable

from scenarios.troubleshooting.plant import Node
from scenarios.troubleshooting.texts.lines import Line
from scenarios.troubleshooting.texts.smi_form import (
    Face,
    Form,
    Process,
    form_of,
    gpu_rows,
    head,
    process_rows,
)
from scenarios.troubleshooting.texts.smi_state import GpuNow, driver, herring_on, node_now, whose
from scenarios.troubleshooting.truth import Incident

INVALID = "Invalid combination of input arguments. Please run 'nvidia-smi -h' for help."
"""What the tool says to options that it does not take."""


def table(
    incident: Incident, node: Node, at_ms: int, indices: Iterable[int] | None = None
) -> tuple[Line, ...]:
    """The default table of one node at one moment (ms UTC), all GPUs or some; its date is the site's."""
    version, tag = driver(incident, node.name, at_ms)
    form = form_of(version)
    rows = [Line(at_ms, f"{incident.calendar.local(at_ms):%a %b %e %H:%M:%S %Y}".ljust(31))]
    rows += [
        Line(at_ms, text, tag if number == 1 else None)
        for number, text in enumerate(head(version, incident.plant.versions.cuda))
    ]
    now = node_now(incident, node, at_ms)
    now = now if indices is None else tuple(now[index] for index in indices)
    for state in now:
        rows += _gpu_rows(incident, state, form)
    rows.append(Line(at_ms, " " * (form.whole + 2)))
    rows += [Line(at_ms, text) for text in process_rows(_processes(now), form)]
    return tuple(rows)


def listed(incident: Incident, node: Node, at_ms: int) -> tuple[Line, ...]:
    """`nvidia-smi -L`."""
    name = incident.plant.gpu_product
    return tuple(Line(at_ms, f"GPU {gpu.index}: {name} (UUID: {gpu.uuid})") for gpu in node.gpus)


def _gpu_rows(incident: Incident, now: GpuNow, form: Form) -> list[Line]:
    """The second of them has the readings, which may be a trace of something."""
    gpu = now.gpu
    tag = whose(incident, now.at_ms, gpu.name, "heat_c", "power_limit_w", "braked")
    if tag is None and now.reasons == 0x4:
        tag = herring_on(incident, gpu, "limit")
    if now.phase == "idle" and tag and now.limit_w == incident.plant.top_w:
        tag = None
    face = Face(
        gpu.index,
        incident.plant.gpu_product,
        gpu.bus_id,
        now.watts,
        now.limit_w,
        now.core_c,
        now.used_mib,
        now.total_mib,
        now.util,
    )
    texts = gpu_rows(face, form)
    return [Line(now.at_ms, text, tag if row == 1 else None) for row, text in enumerate(texts)]


def _processes(now: tuple[GpuNow, ...]) -> list[Process]:
    return [
        Process(state.gpu.index, state.pid, command(state), state.used_mib - 12)
        for state in now
        if state.job
    ]


def command(state: GpuNow) -> str:
    """The process name that tools show for a job's rank."""
    return "/opt/conda/bin/python3.10" if state.job and state.job.role != "other" else "python"
