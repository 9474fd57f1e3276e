"""`scontrol`: show and ping; whatever would change something is denied."""

from __future__ import annotations

from collections.abc import Callable

from scenarios.troubleshooting.console.command import Call, Failed, joined
from scenarios.troubleshooting.console.options import MAYBE, NONE, ONE, Grammar
from scenarios.troubleshooting.console.reply import Reply
from scenarios.troubleshooting.console.site import Site, text
from scenarios.troubleshooting.console.slurm.control_jobs import show_job, show_step
from scenarios.troubleshooting.console.slurm.control_site import (
    partition_block,
    settings,
    topology,
)
from scenarios.troubleshooting.console.slurm.words import hosts_of
from scenarios.troubleshooting.texts.slurm_nodes import show_nodes
from scenarios.troubleshooting.texts.slurm_words import hostlist

GRAMMAR = Grammar(
    "scontrol",
    "adFhloQvV",
    "Mu",
    {
        "all": ("a", NONE),
        "details": ("d", NONE),
        "federation": ("F", NONE),
        "future": ("future", NONE),
        "help": ("h", NONE),
        "hide": ("hide", NONE),
        "local": ("l", NONE),
        "oneliner": ("o", NONE),
        "quiet": ("Q", NONE),
        "verbose": ("v", NONE),
        "version": ("V", NONE),
        "clusters": ("M", ONE),
        "uid": ("u", ONE),
        "json": ("json", MAYBE),
        "yaml": ("yaml", MAYBE),
    },
    'Try "scontrol --help" for more information',
)
_CHANGES = {
    "update": "slurm_update error: Access/permission denied",
    "hold": "Access/permission denied for job {0}",
    "uhold": "Access/permission denied for job {0}",
    "release": "Access/permission denied for job {0}",
    "requeue": "Access/permission denied for job {0}",
    "requeuehold": "Access/permission denied for job {0}",
    "suspend": "Access/permission denied for job {0}",
    "resume": "Access/permission denied for job {0}",
    "top": "Access/permission denied for job {0}",
    "notify": "scontrol: error: slurm_notify_job(): Access/permission denied",
    "create": "Error creating the reservation: Access/permission denied",
    "delete": "slurm_delete_reservation error: Access/permission denied",
    "reboot": "scontrol_reboot_nodes error: Access/permission denied",
    "reconfigure": "slurm_reconfigure error: Access/permission denied",
    "shutdown": "slurm_shutdown error: Access/permission denied",
    "takeover": "slurm_takeover error: Access/permission denied",
    "setdebug": "slurm_set_debug_level error: Access/permission denied",
    "setdebugflags": "slurm_set_debug_flags error: Access/permission denied",
    "write": "slurm_write_ctl_conf error: Access/permission denied",
    "schedloglevel": "slurm_set_schedlog_level error: Access/permission denied",
}
_HELP = """\
scontrol [<OPTION>] [<COMMAND>]
    Valid <OPTION> values are:
     -a or --all: equivalent to "all" command
     -d or --details: equivalent to "details" command
     -h or --help: equivalent to "help" command
     -o or --oneliner: equivalent to "oneliner" command
     -V or --version: equivalent to "version" command

    Valid <COMMAND> values are:
     hostlist <hosts>, hostnames <list>, ping, version
     show <ENTITY> [<ID>]
  <ENTITY> may be "config", "daemons", "hostlist", "hostnames", "job", "licenses",
       "node", "partition", "reservation", "step" or "topology".
"""


def scontrol(call: Call) -> str | Reply:
    asked, site = GRAMMAR.read(call.args), call.site
    version = f"slurm {site.incident.plant.versions.slurm}\n"
    if asked.has("V"):
        return version
    if asked.has("h") or asked.rest[:1] == ["help"]:
        return _HELP
    if asked.has("json", "yaml"):
        raise Failed("scontrol: fatal: Unable to load serializer plugins")
    if not asked.rest:
        raise Failed("scontrol: error: no command given; this terminal takes one command at a time")
    word, rest = asked.rest[0].lower(), asked.rest[1:]
    if word == "version":
        return version
    if word == "ping":
        return f"Slurmctld(primary) at {site.incident.plant.controller} is UP\n"
    if word in ("show", "list"):
        found = _show(site, call.host, rest, asked.has("d"))
        return _oneline(found) if asked.has("o") else found
    if word == "listpids":
        raise Failed("scontrol: error: slurmd's job list is readable by root alone on this cluster")
    if word in _CHANGES:
        raise Failed(_CHANGES[word].format(*(rest or [""])))
    raise Failed(f"invalid keyword: {asked.rest[0]}")


def _oneline(reply: str | Reply) -> str | Reply:
    """`-o`: every record on a line of its own."""
    if isinstance(reply, Reply):
        return reply if reply.code else Reply(str(_oneline(reply.stdout)))
    blocks = [block for block in reply.split("\n\n") if block.strip()]
    return joined([" ".join(line.strip() for line in block.splitlines()) + " " for block in blocks])


def _show(site: Site, host: str, rest: list[str], details: bool) -> str | Reply:
    entity = rest[0].lower() if rest else ""
    name = rest[1] if len(rest) > 1 else None
    if not entity:
        raise Failed("too few arguments for keyword:show")
    if len(rest) > 2 and entity not in ("hostlist", "hostlistsorted", "hostnames"):
        raise Failed("too many arguments for keyword:show")
    for word, show in _ENTITIES.items():
        if word.startswith(entity) or entity == f"{word}s":
            return show(site, host, name, details)
    raise Failed(f'invalid entity:"{rest[0]}" for keyword:"show"')


def _jobs(site: Site, host: str, name: str | None, details: bool) -> str:
    return show_job(site, name, details)


def _steps(site: Site, host: str, name: str | None, details: bool) -> str:
    return show_step(site, name)


def nodes_text(site: Site) -> dict[str, str]:
    """Node -> its block of `scontrol show node`, with the empty line that ends it."""
    whole = text(show_nodes(site.incident, site.now_ms).lines)
    blocks = [f"{block}\n\n" for block in whole.split("\n\n") if block]
    return dict(zip(site.nodes, blocks, strict=True))


def _nodes(site: Site, host: str, name: str | None, details: bool) -> str | Reply:
    blocks = site.kept("scontrol show node", lambda: nodes_text(site))
    if name is None:
        return "".join(blocks.values())
    found, missing = "", ""
    for one in hosts_of(name):
        found += blocks.get(one, "")
        missing += "" if one in blocks else f"Node {one} not found\n"
    return Reply(found + missing, "", 1 if missing else 0)


def _partitions(site: Site, host: str, name: str | None, details: bool) -> str | Reply:
    known = ("train", "dev")
    if name is None:
        return "".join(partition_block(site, one) for one in known)
    if name not in known:
        return Reply(f"Partition {name} not found\n", "", 1)
    return partition_block(site, name)


def _config(site: Site, host: str, name: str | None, details: bool) -> str:
    return settings(site)


def _reservations(site: Site, host: str, name: str | None, details: bool) -> str | Reply:
    if name is None:
        return "No reservations in the system\n"
    return Reply(f"Reservation {name} not found\n", "", 1)


def _hostnames(site: Site, host: str, name: str | None, details: bool) -> str:
    return joined(hosts_of(name or ""))


def _hostlist(site: Site, host: str, name: str | None, details: bool) -> str:
    if name is None:
        raise Failed("Unable to open : No such file or directory")
    return f"{hostlist(hosts_of(name))}\n"


def _topology(site: Site, host: str, name: str | None, details: bool) -> str | Reply:
    return topology(site, name)


def _licenses(site: Site, host: str, name: str | None, details: bool) -> str:
    return "No licenses configured in Slurm.\n"


def _daemons(site: Site, host: str, name: str | None, details: bool) -> str:
    if host == site.incident.plant.controller:
        return "slurmctld slurmdbd\n"
    return "slurmd\n" if host in site.nodes else "\n"


_ENTITIES: dict[str, Callable[[Site, str, str | None, bool], str | Reply]] = {
    "job": _jobs,
    "node": _nodes,
    "partition": _partitions,
    "config": _config,
    "step": _steps,
    "reservation": _reservations,
    "hostnames": _hostnames,
    "hostlistsorted": _hostlist,
    "hostlist": _hostlist,
    "topology": _topology,
    "licenses": _licenses,
    "daemons": _daemons,
}
