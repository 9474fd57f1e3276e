"""`dcgmi diag -r 1 | 2` and `dcgmi health -c`: boxed tables, 78 columns wide."""

from __future__ import annotations

from scenarios.troubleshooting.faults.slow_compute import SilentSlowNode
from scenarios.troubleshooting.plant import Node
from scenarios.troubleshooting.texts import fleet
from scenarios.troubleshooting.texts.lines import Line
from scenarios.troubleshooting.texts.smi_query import device_id
from scenarios.troubleshooting.texts.smi_state import before_changes, driver, whose
from scenarios.troubleshooting.truth import Incident

_LEFT, _RIGHT = 27, 48
_DCGM = "3.3.8"
_DEPLOYMENT = (
    "Denylist",
    "NVML Library",
    "CUDA Main Library",
    "Permissions and OS Blocks",
    "Persistence Mode",
    "Environment Variables",
    "Page Retirement/Row Remap",
    "Graphics Processes",
    "Inforom",
)


def diag(incident: Incident, node: Node, at_ms: int, level: int = 1) -> tuple[Line, ...]:
    """What the short diagnostic says. It measures no speed, so a slow but whole node passes."""
    version, other = driver(incident, node.name, at_ms)
    passed = _silent(incident, node, at_ms)
    ids = ",".join([device_id(incident.plant)] * len(node.gpus))
    lines = [
        Line(at_ms, "Successfully ran diagnostic for group."),
        Line(at_ms, _edge("-", "+", "+")),
        Line(at_ms, _row("Diagnostic", "Result")),
        Line(at_ms, _edge("=", "+", "+")),
        Line(at_ms, _part("|", "Metadata")),
        Line(at_ms, _row("DCGM Version", _DCGM)),
        Line(at_ms, _row("Driver Version Detected", version), other),
        Line(at_ms, _row("GPU Device IDs Detected", ids)),
        Line(at_ms, _part("|", "Deployment")),
    ]
    lines += [Line(at_ms, _row(name, "Pass"), passed) for name in _DEPLOYMENT]
    if level >= 2:
        lines.append(Line(at_ms, _part("+", "Integration")))
        lines.append(Line(at_ms, _row("PCIe", "Pass - All"), passed))
        lines.append(Line(at_ms, _part("+", "Hardware")))
        lines.append(Line(at_ms, _row("GPU Memory", "Pass - All"), passed))
    return (*lines, Line(at_ms, _edge("-", "+", "+")))


def health(incident: Incident, node: Node, at_ms: int) -> tuple[Line, ...]:
    """`dcgmi health -g 0 -c`: links that are down and slowdowns that it watches."""
    warnings: list[tuple[str, str, str | None]] = []
    for gpu in node.gpus:
        heat = whose(incident, at_ms, gpu.name, "heat_c")
        if heat:
            text = f"Detected thermal violations in GPU {gpu.index}: verify that cooling works."
            warnings.append((f"GPU {gpu.index}", text, heat))
        link = whose(incident, at_ms, gpu.name, "nvlink_down")
        if link:
            text = f"GPU {gpu.index}'s NvLinks are down: check the fabric manager's log."
            warnings.append((f"GPU {gpu.index}", text, link))
    for _, name, text in fleet.said(incident, "health", [one.name for one in incident.plant.nodes]):
        if name == node.name:
            warnings.append((f"GPU {text[0]}", text[1], None))
    overall = "Warning" if warnings else "Healthy"
    lines = [
        Line(at_ms, _edge("-", "+", "+")),
        Line(at_ms, f"|{' Health Monitor Report':<{_LEFT + _RIGHT + 1}}|"),
    ]
    lines += [Line(at_ms, _edge("=", "+", "+")), Line(at_ms, _row("Overall Health", overall))]
    for name, text, tag in warnings:
        lines.append(Line(at_ms, _row(f"  {name}", "Warning"), tag))
        lines += [Line(at_ms, _row("", part), tag) for part in _wrapped(text)]
    return (*lines, Line(at_ms, _edge("-", "+", "+")))


def _silent(incident: Incident, node: Node, at_ms: int) -> str | None:
    """That a slow node passes is evidence of its cause."""
    for cause in incident.causes:
        fault = cause.fault
        slow = isinstance(fault, SilentSlowNode) and fault.node == node.name
        if slow and not before_changes(incident, at_ms):
            return cause.key
    return None


def _edge(fill: str, end: str, joint: str) -> str:
    return end + fill * _LEFT + joint + fill * _RIGHT + end


def _row(name: str, text: str) -> str:
    return f"| {name:<{_LEFT - 1}}| {text:<{_RIGHT - 1}}|"


def _part(end: str, name: str) -> str:
    left = f"-----  {name}  ".ljust(_LEFT, "-")
    return f"{end}{left}+{'-' * _RIGHT}{end}"


def _wrapped(text: str) -> list[str]:
    lines, room = [""], _RIGHT - 2
    for word in text.split():
        if len(lines[-1]) + len(word) + 1 > room:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines
