"""`kubectl` with the rights of a viewer."""

from __future__ import annotations

import json
from collections.abc import Callable

from scenarios.troubleshooting.calendar import DAY, HOUR, MINUTE, SECOND
from scenarios.troubleshooting.console.command import Call, Failed, joined
from scenarios.troubleshooting.console.host.told import told
from scenarios.troubleshooting.console.kube.described import describe_node, describe_pod
from scenarios.troubleshooting.console.kube.kubectl_words import CHANGES, GRAMMAR, HELP, KINDS
from scenarios.troubleshooting.console.kube.objects import (
    NAMESPACES,
    RUNTIME,
    VERSION,
    KubeNode,
    Pod,
    daemon_sets,
    kube_nodes,
    pods,
)
from scenarios.troubleshooting.console.options import Options
from scenarios.troubleshooting.console.site import Site


def kubectl(call: Call) -> str:
    asked = GRAMMAR.read(call.args)
    words = asked.rest
    if asked.has("h") or not words or words[0] == "help":
        return HELP
    site, verb = call.site, words[0]
    control = site.incident.plant.controller
    if verb == "version":
        return f"Client Version: {VERSION}\nKustomize Version: v5.0.4\n" + (
            "" if asked.has("client") else f"Server Version: {VERSION}\n"
        )
    if verb == "cluster-info":
        return f"Kubernetes control plane is running at https://{site.addresses[control]}:6443\n"
    if verb == "config":
        return _config(site, words[1:])
    if verb in ("get", "events"):
        return _get(call, asked, words[1:] if verb == "get" else ["events"])
    if verb == "describe":
        return _describe(site, asked, words[1:])
    if verb == "top":
        return _top(site, asked, words[1:])
    if verb == "api-resources":
        return joined(
            [
                "NAME         SHORTNAMES   APIVERSION   NAMESPACED   KIND",
                "nodes        no           v1           false        Node",
                "pods         po           v1           true         Pod",
            ]
        )
    if verb == "auth":
        return "no\n" if set(words) & set(CHANGES) else "yes\n"
    if verb == "logs":
        raise _forbidden("get", "pods/log", words[1] if len(words) > 1 else "", asked)
    if verb in CHANGES:
        kind = "nodes" if verb in ("cordon", "uncordon", "drain", "taint") else "pods"
        name = words[-1] if len(words) > 1 else ""
        raise _forbidden(CHANGES[verb], kind, name.rpartition("/")[2], asked)
    raise Failed(f'error: unknown command "{verb}" for "kubectl"')


def _forbidden(verb: str, kind: str, name: str, asked: Options) -> Failed:
    where = (
        "at the cluster scope"
        if kind == "nodes"
        else f'in the namespace "{asked.get("n") or "default"}"'
    )
    return Failed(
        f'Error from server (Forbidden): {kind} "{name}" is forbidden: User "viewer" cannot {verb} resource '
        f'"{kind}" in API group "" {where}'
    )


def _config(site: Site, words: list[str]) -> str:
    name = site.incident.plant.cluster
    if words[:1] in (["current-context"], ["get-contexts"]):
        return f"{name}-viewer\n"
    if words[:1] == ["view"]:
        address = site.addresses[site.incident.plant.controller]
        return joined(
            [
                "apiVersion: v1",
                "clusters:",
                "- cluster:",
                "    certificate-authority-data: DATA+OMITTED",
                f"    server: https://{address}:6443",
                f"  name: {name}",
                f"current-context: {name}-viewer",
                "kind: Config",
            ]
        )
    raise Failed("error: this kubeconfig is read-only")


def _kind(word: str) -> str:
    name = word.lower().rstrip("s") if word.lower() not in ("pods", "ds", "ns") else word.lower()
    for key in (word.lower(), name, name.removesuffix("s")):
        if key in KINDS:
            return KINDS[key]
        if key in KINDS.values():
            return key
    raise Failed(f'error: the server doesn\'t have a resource type "{word}"')


def _get(call: Call, asked: Options, words: list[str]) -> str:
    if not words:
        raise Failed(
            'You must specify the type of resource to get. Use "kubectl api-resources" for a complete '
            "list of supported resources.\n\nerror: Required resource not specified."
        )
    kind, names = words[0], words[1:]
    if "/" in kind:
        kind, _, name = kind.partition("/")
        names = [name, *names]
    kind = _kind(kind)
    form = asked.get("o") or ""
    if form not in ("", "wide", "name", "json"):
        raise Failed(
            f'error: unable to match a printer suitable for the output format "{form}", '
            "allowed formats are: json,name,wide"
        )
    site = call.site
    if kind in ("secrets", "configmaps"):
        raise _forbidden("list", kind, "", asked)
    if kind == "nodes":
        return _nodes(site, asked, names, form)
    if kind in ("pods", "all"):
        return _pods(site, asked, names, form)
    if kind == "daemonsets":
        return _sets(site, asked)
    if kind == "namespaces":
        made = kube_nodes(site)[0].made_ms
        return _table(
            asked, ("NAME", "STATUS", "AGE"), [(n, "Active", age(site, made)) for n in NAMESPACES]
        )
    # Events are kept for an hour, and nothing has changed for longer than that.
    where = "" if asked.has("A") else f" in {asked.get('n') or 'default'} namespace"
    raise Failed(f"No resources found{where}.", 0)


def age(site: Site, since_ms: int) -> str:
    """The age that kubectl prints: two units at most."""
    ms = max(site.now_ms - since_ms, 0)
    if ms >= 8 * DAY:
        return f"{ms // DAY}d"
    if ms >= 2 * DAY:
        days, hours = divmod(ms // HOUR, 24)
        return f"{days}d{hours}h" if hours else f"{days}d"
    if ms >= 3 * HOUR:
        hours, minutes = divmod(ms // MINUTE, 60)
        return f"{hours}h{minutes}m" if hours < 8 and minutes else f"{hours}h"
    return f"{ms // MINUTE}m" if ms >= 10 * MINUTE else f"{ms // SECOND}s"


def _table(asked: Options, heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    table = list(rows) if asked.has("bare") else [heads, *rows]
    if not table:
        return ""
    widths = [max(len(row[n]) for row in table) + 3 for n in range(len(heads))]
    return joined(
        [
            "".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip()
            for row in table
        ]
    )


def _labelled(asked: Options, labels: dict[str, str]) -> bool:
    """Whether the labels meet `-l`: equal, unequal, there at all."""
    for part in (asked.get("l") or "").split(","):
        name, sign, value = (
            part.partition("!=") if "!=" in part else part.replace("==", "=").partition("=")
        )
        if not part:
            continue
        if not sign and name not in labels:
            return False
        if sign == "=" and labels.get(name) != value:
            return False
        if sign == "!=" and labels.get(name) == value:
            return False
    return True


def _named(kind: str, known: list[str], names: list[str]) -> None:
    for name in names:
        if name not in known:
            raise Failed(f'Error from server (NotFound): {kind} "{name}" not found')


def _nodes(site: Site, asked: Options, names: list[str], form: str) -> str:
    found = kube_nodes(site)
    _named("nodes", [node.name for node in found], names)
    found = [
        n for n in found if (not names or n.name in names) and _labelled(asked, dict(n.labels))
    ]
    found.sort(key=lambda node: node.name)
    if form == "name":
        return joined([f"node/{node.name}" for node in found])
    if form == "json":
        return (
            json.dumps(
                {"apiVersion": "v1", "kind": "List", "items": [_node_json(n) for n in found]},
                indent=4,
            )
            + "\n"
        )
    heads: tuple[str, ...] = ("NAME", "STATUS", "ROLES", "AGE", "VERSION")
    rows: list[tuple[str, ...]] = [
        (n.name, "Ready", n.roles, age(site, n.made_ms), VERSION) for n in found
    ]
    if form == "wide":
        versions = site.incident.plant.versions
        heads += ("INTERNAL-IP", "EXTERNAL-IP", "OS-IMAGE", "KERNEL-VERSION", "CONTAINER-RUNTIME")
        rows = [(*row, n.address, "<none>", versions.system, versions.kernel, RUNTIME)
                for row, n in zip(rows, found, strict=True)]  # fmt: skip
    for column in (asked.get("columns", "L") or "").split(","):
        if column:
            heads += (column.rpartition("/")[2].upper(),)
            rows = [
                (*row, dict(n.labels).get(column, "")) for row, n in zip(rows, found, strict=True)
            ]
    if asked.has("labels"):
        heads += ("LABELS",)
        rows = [
            (*row, ",".join("=".join(pair) for pair in n.labels))
            for row, n in zip(rows, found, strict=True)
        ]
    return _table(asked, heads, rows)


def _node_json(node: KubeNode) -> dict[str, object]:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": node.name, "labels": dict(node.labels)},
        "status": {
            "addresses": [{"address": node.address, "type": "InternalIP"}],
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def _in(asked: Options, pod: Pod) -> bool:
    return asked.has("A") or pod.namespace == (asked.get("n") or "default")


def _pods(site: Site, asked: Options, names: list[str], form: str) -> str:
    found = [pod for pod in pods(site) if _in(asked, pod)]
    _named("pods", [pod.name for pod in found], names)
    field = (asked.get("field") or "").replace("==", "=")
    found = [
        pod
        for pod in found
        if (not names or pod.name in names)
        and _labelled(
            asked, {"app": pod.owner.partition("/")[2], "name": pod.owner.partition("/")[2]}
        )
        and (not field.startswith("spec.nodeName=") or field.endswith(f"={pod.node}"))
        and not field.startswith("status.phase!=Running")
    ]
    if not found:
        where = "" if asked.has("A") else f" in {asked.get('n') or 'default'} namespace"
        raise Failed(f"No resources found{where}.", 0)
    if form == "name":
        return joined([f"pod/{pod.name}" for pod in found])
    if form == "json":
        items = [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": p.name, "namespace": p.namespace},
                  "spec": {"nodeName": p.node}, "status": {"phase": "Running"}} for p in found]  # fmt: skip
        return json.dumps({"apiVersion": "v1", "kind": "List", "items": items}, indent=4) + "\n"
    heads: tuple[str, ...] = ("NAME", "READY", "STATUS", "RESTARTS", "AGE")
    rows: list[tuple[str, ...]] = [
        (p.name, "1/1", "Running", _restarts(site, p), age(site, p.made_ms)) for p in found
    ]
    if form == "wide":
        heads += ("IP", "NODE", "NOMINATED NODE", "READINESS GATES")
        rows = [
            (*row, p.address, p.node, "<none>", "<none>")
            for row, p in zip(rows, found, strict=True)
        ]
    if asked.has("A"):
        heads = ("NAMESPACE", *heads)
        rows = [(p.namespace, *row) for row, p in zip(rows, found, strict=True)]
    return _table(asked, heads, rows)


def _restarts(site: Site, pod: Pod) -> str:
    return f"{pod.restarts} ({age(site, pod.started_ms)} ago)" if pod.restarts else "0"


def _sets(site: Site, asked: Options) -> str:
    heads: tuple[str, ...] = (
        "NAME",
        "DESIRED",
        "CURRENT",
        "READY",
        "UP-TO-DATE",
        "AVAILABLE",
        "NODE SELECTOR",
        "AGE",
    )
    rows: list[tuple[str, ...]] = []
    for namespace, name, count, made in daemon_sets(site):
        if asked.has("A") or namespace == (asked.get("n") or "default"):
            row = (name, *[str(count)] * 5, "nvidia.com/gpu.count", age(site, made))
            rows.append((namespace, *row) if asked.has("A") else row)
    if not rows:
        raise Failed(f"No resources found in {asked.get('n') or 'default'} namespace.", 0)
    return _table(asked, ("NAMESPACE", *heads) if asked.has("A") else heads, rows)


def _describe(site: Site, asked: Options, words: list[str]) -> str:
    if not words:
        raise Failed("error: You must specify the type of resource to describe.")
    kind, names = words[0], words[1:]
    if "/" in kind:
        kind, _, name = kind.partition("/")
        names = [name]
    kind = _kind(kind)
    if kind == "nodes":
        known = {node.name: node for node in kube_nodes(site)}
        _named("nodes", list(known), names)
        return "\n\n".join(describe_node(site, known[name]) for name in names or list(known)[:3])
    if kind == "pods":
        every = {pod.name: pod for pod in pods(site) if _in(asked, pod)}
        _named("pods", list(every), names)
        if every:
            return "\n\n".join(describe_pod(site, every[name]) for name in names or list(every)[:3])
    raise Failed(f"No resources found in {asked.get('n') or 'default'} namespace.", 0)


def _top(site: Site, asked: Options, words: list[str]) -> str:
    """Usage of the hosts themselves: Slurm's jobs are a part of it."""
    kind = _kind(words[0]) if words else ""
    if kind != "nodes":
        raise Failed(
            "error: Metrics not available for pods of the host's network"
            if kind == "pods"
            else "error: You must specify the type of resource: node or pod"
        )
    found = kube_nodes(site)
    _named("nodes", [node.name for node in found], words[1:])
    readers: list[Callable[[str], str]] = [
        lambda host: told(site, host)["uptime"],
        lambda host: told(site, host)["free -m"],
    ]
    rows: list[tuple[str, ...]] = []
    for node in sorted(found, key=lambda n: n.name):
        if words[1:] and node.name not in words[1:]:
            continue
        load = float(readers[0](node.name).rpartition("load average: ")[2].split(",")[0])
        total, used = (int(cell) for cell in readers[1](node.name).splitlines()[1].split()[1:3])
        threads = 64 if node.roles != "<none>" else 224
        cores = min(load, threads)
        rows.append(
            (
                node.name,
                f"{cores * 1000:.0f}m",
                f"{100 * cores / threads:.0f}%",
                f"{used}Mi",
                f"{100 * used // total}%",
            )
        )
    return _table(asked, ("NAME", "CPU(cores)", "CPU%", "MEMORY(bytes)", "MEMORY%"), rows)
