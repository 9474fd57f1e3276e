"""The words of `kubectl`: its options, kinds of objects, verbs that change something, and its help."""

from __future__ import annotations

from scenarios.troubleshooting.console.options import MAYBE, NONE, ONE, Grammar

GRAMMAR = Grammar(
    "kubectl",
    "AhwRv",
    "noflcsL",
    {
        "all-namespaces": ("A", NONE),
        "namespace": ("n", ONE),
        "output": ("o", ONE),
        "selector": ("l", ONE),
        "no-headers": ("bare", NONE),
        "show-labels": ("labels", NONE),
        "watch": ("w", NONE),
        "help": ("h", NONE),
        "client": ("client", MAYBE),
        "sort-by": ("sort", ONE),
        "field-selector": ("field", ONE),
        "context": ("context", ONE),
        "kubeconfig": ("config", ONE),
        "filename": ("f", ONE),
        "container": ("c", ONE),
        "tail": ("tail", ONE),
        "since": ("since", ONE),
        "previous": ("previous", NONE),
        "force": ("force", NONE),
        "grace-period": ("grace", ONE),
        "ignore-daemonsets": ("ignore", NONE),
        "replicas": ("replicas", ONE),
        "server": ("s", ONE),
        "label-columns": ("columns", ONE),
        "for": ("for", ONE),
        "types": ("types", ONE),
    },
    "See 'kubectl --help' for usage.",
)
KINDS = {
    "node": "nodes",
    "no": "nodes",
    "pod": "pods",
    "po": "pods",
    "daemonset": "daemonsets",
    "ds": "daemonsets",
    "event": "events",
    "ev": "events",
    "namespace": "namespaces",
    "ns": "namespaces",
    "deployment": "deployments",
    "deploy": "deployments",
    "service": "services",
    "svc": "services",
    "job": "jobs",
    "all": "all",
    "configmap": "configmaps",
    "cm": "configmaps",
    "secret": "secrets",
    "lease": "leases",
}
CHANGES = {
    "delete": "delete",
    "apply": "patch",
    "create": "create",
    "edit": "patch",
    "patch": "patch",
    "scale": "patch",
    "label": "patch",
    "annotate": "patch",
    "cordon": "patch",
    "uncordon": "patch",
    "drain": "patch",
    "taint": "patch",
    "exec": "create",
    "run": "create",
    "rollout": "patch",
    "set": "patch",
    "cp": "create",
    "port-forward": "create",
    "attach": "create",
    "replace": "update",
    "debug": "create",
    "expose": "create",
}
HELP = (
    "kubectl controls the Kubernetes cluster manager.\n\nBasic Commands:\n  get         Display one or many "
    "resources\n  describe    Show details of a specific resource or group of resources\n  top         Display "
    "resource (CPU/memory) usage\n  events      List events\n  cluster-info  Display cluster information\n"
    "  version     Print the client and server version information\n"
)
