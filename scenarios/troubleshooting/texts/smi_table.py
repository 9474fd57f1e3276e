"""`nvidia-smi` without arguments, and `nvidia-smi -L`: the table is 91 columns wide, 79 before driver 545."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from scenarios.troubleshooting.plant import Node
from scenarios.troubleshooting.texts.lines import Line
from scenarios.troubleshooting.texts.smi_state import GpuNow, driver, herring_on, node_now, whose
from scenarios.troubleshooting.truth import Incident

INVALID = "Invalid combination of input arguments. Please run 'nvidia-smi -h' for help."
"""What the tool says to options that it does not take."""


@dataclass(frozen=True, slots=True)
class _Form:
    """Widths of the three columns between the bars, and of the whole box."""

    first: int
    second: int
    third: int

    @property
    def whole(self) -> int:
        return self.first + self.second + self.third + 2


_WIDE, _NARROW = _Form(41, 24, 22), _Form(31, 22, 22)
_LAST = (" Volatile Uncorr. ECC", " GPU-Util  Compute M.")
_WIDE_HEADS = (
    (" GPU  Name                 Persistence-M", " Bus-Id          Disp.A", _LAST[0]),
    (" Fan  Temp   Perf          Pwr:Usage/Cap", "           Memory-Usage", _LAST[1]),
)
_NARROW_HEADS = (
    (" GPU  Name        Persistence-M", " Bus-Id        Disp.A", _LAST[0]),
    (" Fan  Temp  Perf  Pwr:Usage/Cap", "         Memory-Usage", _LAST[1]),
)


def table(
    incident: Incident, node: Node, at_ms: int, indices: Iterable[int] | None = None
) -> tuple[Line, ...]:
    """The default table of one node at one moment (ms UTC), all GPUs or some; its date is the site's."""
    version, tag = driver(incident, node.name, at_ms)
    form = _WIDE if _major(version) >= 545 else _NARROW
    rows = [Line(at_ms, f"{incident.calendar.local(at_ms):%a %b %e %H:%M:%S %Y}".ljust(31))]
    rows += [
        Line(at_ms, text, tag if number == 1 else None)
        for number, text in _head(incident, version, form)
    ]
    now = node_now(incident, node, at_ms)
    now = now if indices is None else tuple(now[index] for index in indices)
    for state in now:
        rows += _gpu_rows(incident, state, form)
    rows.append(Line(at_ms, " " * (form.whole + 2)))
    rows += [Line(at_ms, text) for text in _processes(now, form)]
    return tuple(rows)


def listed(incident: Incident, node: Node, at_ms: int) -> tuple[Line, ...]:
    """`nvidia-smi -L`."""
    name = incident.plant.gpu_product
    return tuple(Line(at_ms, f"GPU {gpu.index}: {name} (UUID: {gpu.uuid})") for gpu in node.gpus)


def _major(version: str) -> int:
    return int(version.partition(".")[0])


def _cells(form: _Form, one: str, two: str, three: str) -> str:
    return f"|{one:<{form.first}}|{two:<{form.second}}|{three:<{form.third}}|"


def _rule(form: _Form, fill: str, ends: str = "+", joint: str = "+") -> str:
    parts = (fill * form.first, fill * form.second, fill * form.third)
    return ends + joint.join(parts) + ends


def _head(incident: Incident, version: str, form: _Form) -> list[tuple[int, str]]:
    """Rows above the first GPU with their numbers; row 1 names the driver."""
    cuda = incident.plant.versions.cuda
    wide = form is _WIDE
    one, two = (34, 31) if wide else (24, 29)
    names = (
        f"NVIDIA-SMI {version}".ljust(one)
        + f"Driver Version: {version}".ljust(two)
        + f"CUDA Version: {cuda}"
    )
    rows = ["+" + "-" * form.whole + "+", f"| {names:<{form.whole - 2}} |"]
    below = _rule(form, "-")
    rows.append(below if _major(version) >= 580 else f"|{below[1:]}")
    rows += [_cells(form, *cells) for cells in (_WIDE_HEADS if wide else _NARROW_HEADS)]
    rows.append(_cells(form, "", "", "               MIG M. "))
    rows.append(_rule(form, "=", "|"))
    return list(enumerate(rows))


def _gpu_rows(incident: Incident, now: GpuNow, form: _Form) -> list[Line]:
    name, gpu = incident.plant.gpu_product, now.gpu
    power = f"{round(now.watts)}W / {round(now.limit_w):>4}W"
    memory = f"{now.used_mib}MiB / {now.total_mib:>6}MiB"
    use = f"{now.util}%".rjust(8) + "Default ".rjust(14)
    if form is _WIDE:
        one = _cells(
            form, f"{gpu.index:>4}  {name:<31}On  ", f"   {gpu.bus_id} Off ", "0 ".rjust(22)
        )
        two = _cells(form, f" N/A {now.core_c:>4}C    P0{power:>24} ", f"{memory:>23} ", use)
    else:
        short = name if len(name) <= 18 else f"{name[:15]}..."
        one = _cells(
            form, f"{gpu.index:>4}  {short:<20}On   ", f" {gpu.bus_id} Off ", "0 ".rjust(22)
        )
        two = _cells(
            form,
            f" N/A {now.core_c:>4}C    P0{power.replace('/  ', '/ '):>14} ",
            f"{memory.replace('/  ', '/ '):>21} ",
            use,
        )
    tag = whose(incident, now.at_ms, gpu.name, "heat_c", "power_limit_w", "braked")
    if tag is None and now.reasons == 0x4:
        tag = herring_on(incident, gpu, "limit")
    if now.phase == "idle" and tag and now.limit_w == incident.plant.top_w:
        tag = None
    three = _cells(form, "", "", "Disabled ".rjust(22))
    return [
        Line(now.at_ms, one),
        Line(now.at_ms, two, tag),
        Line(now.at_ms, three),
        Line(now.at_ms, _rule(form, "-")),
    ]


def _processes(now: tuple[GpuNow, ...], form: _Form) -> list[str]:
    width = form.whole
    gap = width - 77
    rows = ["+" + "-" * width + "+", f"|{' Processes:':<{width}}|"]
    head = "  GPU   GI   CI        PID   Type   Process name" + " " * (18 + gap) + "GPU Memory "
    rows.append(f"|{head:<{width}}|")
    rows.append(f"|{'        ID   ID' + ' ' * (51 + gap) + 'Usage      ':<{width}}|")
    rows.append("|" + "=" * width + "|")
    running = [state for state in now if state.job]
    for state in running:
        left = f"{state.gpu.index:>5}   N/A  N/A {state.pid:>10}      C   {command(state)}"
        size = f"{state.used_mib - 12}MiB "
        rows.append(f"|{left:<{width - len(size)}}{size}|")
    if not running:
        rows.append(f"|{'  No running processes found':<{width}}|")
    return [*rows, "+" + "-" * width + "+"]


def command(state: GpuNow) -> str:
    """The process name that tools show for a job's rank."""
    return "/opt/conda/bin/python3.10" if state.job and state.job.role != "other" else "python"
