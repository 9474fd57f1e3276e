"""The form of `nvidia-smi`'s table: 91 columns wide, 79 before driver 545. Knows no incident, and needs nothing
but Python, so that a host on which there is only that can print it as well."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Form:
    """Widths of the three columns between the bars, and of the whole box."""

    first: int
    second: int
    third: int

    @property
    def whole(self) -> int:
        return self.first + self.second + self.third + 2


@dataclass(frozen=True, slots=True)
class Face:
    """What the table shows of one GPU: W, degrees C, MiB, per cent."""

    index: int
    name: str
    bus_id: str
    watts: float
    limit_w: float
    core_c: int
    used_mib: int
    total_mib: int
    util: int


@dataclass(frozen=True, slots=True)
class Process:
    """What the table shows of one process on a GPU."""

    index: int
    pid: int
    command: str
    used_mib: int


WIDE, NARROW = Form(41, 24, 22), Form(31, 22, 22)
_LAST = (" Volatile Uncorr. ECC", " GPU-Util  Compute M.")
_WIDE_HEADS = (
    (" GPU  Name                 Persistence-M", " Bus-Id          Disp.A", _LAST[0]),
    (" Fan  Temp   Perf          Pwr:Usage/Cap", "           Memory-Usage", _LAST[1]),
)
_NARROW_HEADS = (
    (" GPU  Name        Persistence-M", " Bus-Id        Disp.A", _LAST[0]),
    (" Fan  Temp  Perf  Pwr:Usage/Cap", "         Memory-Usage", _LAST[1]),
)


def form_of(version: str) -> Form:
    """The form that a driver of this version prints."""
    return WIDE if _major(version) >= 545 else NARROW


def _major(version: str) -> int:
    return int(version.partition(".")[0])


def cells(form: Form, one: str, two: str, three: str) -> str:
    return f"|{one:<{form.first}}|{two:<{form.second}}|{three:<{form.third}}|"


def rule(form: Form, fill: str, ends: str = "+", joint: str = "+") -> str:
    parts = (fill * form.first, fill * form.second, fill * form.third)
    return ends + joint.join(parts) + ends


def head(version: str, cuda: str) -> list[str]:
    """Rows above the first GPU; the one with number 1 names the driver."""
    form = form_of(version)
    wide = form is WIDE
    one, two = (34, 31) if wide else (24, 29)
    names = (
        f"NVIDIA-SMI {version}".ljust(one)
        + f"Driver Version: {version}".ljust(two)
        + f"CUDA Version: {cuda}"
    )
    rows = ["+" + "-" * form.whole + "+", f"| {names:<{form.whole - 2}} |"]
    below = rule(form, "-")
    rows.append(below if _major(version) >= 580 else f"|{below[1:]}")
    rows += [cells(form, *texts) for texts in (_WIDE_HEADS if wide else _NARROW_HEADS)]
    rows.append(cells(form, "", "", "               MIG M. "))
    rows.append(rule(form, "=", "|"))
    return rows


def gpu_rows(face: Face, form: Form) -> list[str]:
    """Four rows; the second has the readings."""
    power = f"{round(face.watts)}W / {round(face.limit_w):>4}W"
    memory = f"{face.used_mib}MiB / {face.total_mib:>6}MiB"
    use = f"{face.util}%".rjust(8) + "Default ".rjust(14)
    if form is WIDE:
        one = cells(
            form, f"{face.index:>4}  {face.name:<31}On  ", f"   {face.bus_id} Off ", "0 ".rjust(22)
        )
        two = cells(form, f" N/A {face.core_c:>4}C    P0{power:>24} ", f"{memory:>23} ", use)
    else:
        short = face.name if len(face.name) <= 18 else f"{face.name[:15]}..."
        one = cells(
            form, f"{face.index:>4}  {short:<20}On   ", f" {face.bus_id} Off ", "0 ".rjust(22)
        )
        two = cells(
            form,
            f" N/A {face.core_c:>4}C    P0{power.replace('/  ', '/ '):>14} ",
            f"{memory.replace('/  ', '/ '):>21} ",
            use,
        )
    return [one, two, cells(form, "", "", "Disabled ".rjust(22)), rule(form, "-")]


def process_rows(running: Sequence[Process], form: Form) -> list[str]:
    """The box below, which is there without a process too."""
    width = form.whole
    gap = width - 77
    rows = ["+" + "-" * width + "+", f"|{' Processes:':<{width}}|"]
    names = "  GPU   GI   CI        PID   Type   Process name" + " " * (18 + gap) + "GPU Memory "
    rows.append(f"|{names:<{width}}|")
    rows.append(f"|{'        ID   ID' + ' ' * (51 + gap) + 'Usage      ':<{width}}|")
    rows.append("|" + "=" * width + "|")
    for one in running:
        left = f"{one.index:>5}   N/A  N/A {one.pid:>10}      C   {one.command}"
        size = f"{one.used_mib}MiB "
        rows.append(f"|{left:<{width - len(size)}}{size}|")
    if not running:
        rows.append(f"|{'  No running processes found':<{width}}|")
    return [*rows, "+" + "-" * width + "+"]
