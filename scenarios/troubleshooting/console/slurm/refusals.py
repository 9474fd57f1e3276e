"""What a read-only account is refused, and what the accounting manager still shows it."""

from __future__ import annotations

from scenarios.troubleshooting.console.command import Call, Failed, joined
from scenarios.troubleshooting.console.site import Site
from scenarios.troubleshooting.console.slurm.words import USERS
from scenarios.troubleshooting.jobs import TEAMS

_DENIED = "Access/permission denied"


def _version(call: Call) -> str | None:
    if any(word in ("-V", "--version") for word in call.args):
        return f"slurm {call.site.incident.plant.versions.slurm}\n"
    return None


def srun(call: Call) -> str:
    if (version := _version(call)) is not None:
        return version
    if not [word for word in call.args if not word.startswith("-")]:
        raise Failed("srun: fatal: No command given to execute.")
    raise Failed(f"srun: error: Unable to allocate resources: {_DENIED}")


def salloc(call: Call) -> str:
    if (version := _version(call)) is not None:
        return version
    raise Failed(f"salloc: error: Job submit/allocate failed: {_DENIED}")


def sbatch(call: Call) -> str:
    if (version := _version(call)) is not None:
        return version
    raise Failed(f"sbatch: error: Batch job submission failed: {_DENIED}")


def scancel(call: Call) -> str:
    if (version := _version(call)) is not None:
        return version
    words = [word for word in call.args if not word.startswith("-")]
    if not words:
        raise Failed("scancel: error: No job identification provided")
    known = {str(job.id) for job in call.site.incident.jobs if job.runs_at(call.site.now_ms)}
    said = []
    for word in words:
        if not word.partition(".")[0].partition("_")[0].isdecimal():
            raise Failed(f"scancel: error: Invalid job id {word}")
        why = _DENIED if word.partition(".")[0] in known else "Invalid job id specified"
        said.append(f"scancel: error: Kill job error on job id {word}: {why}")
    raise Failed("\n".join(said))


def sreport(call: Call) -> str:
    if (version := _version(call)) is not None:
        return version
    raise Failed(
        "sreport: error: slurm_persist_conn_open: Something happened with the receiving/processing of "
        f"the persistent connection init message to {call.site.incident.plant.controller}:6819: {_DENIED}"
    )


def sacctmgr(call: Call) -> str:
    """`show` and `list` of a few entities; everything else would change the database."""
    if (version := _version(call)) is not None:
        return version
    plain = any(word in ("-P", "--parsable2", "-p", "--parsable") for word in call.args)
    bare = any(word in ("-n", "--noheader") for word in call.args)
    words = [word for word in call.args if not word.startswith("-")]
    if not words:
        raise Failed("sacctmgr: error: No command given")
    if words[0] in (
        "add",
        "create",
        "delete",
        "remove",
        "modify",
        "archive",
        "dump",
        "load",
        "clear",
    ):
        raise Failed(f" Problem with your request: {_DENIED}")
    if words[0] not in ("show", "list"):
        raise Failed(f"invalid keyword: {words[0]}")
    entity = words[1].lower() if len(words) > 1 else ""
    tables = {
        "ass": _associations,
        "acc": _accounts,
        "use": _users,
        "qos": _qualities,
        "clu": _clusters,
    }
    make = tables.get(entity[:3])
    if make is None:
        raise Failed(
            'No valid entity in list command\nInput line must include, "Account", '
            '"Association", "Cluster", "QOS" or "User"'
        )
    heads, rows = make(call.site)
    return _table(heads, [row for row in rows if _kept(row, heads, words[2:])], plain, bare)


Table = tuple[tuple[tuple[str, int], ...], list[tuple[str, ...]]]
"""(heading, width) of every column, and the rows."""


def _kept(row: tuple[str, ...], heads: tuple[tuple[str, int], ...], conditions: list[str]) -> bool:
    """Whether the row meets every `where` condition that names one of the table's columns."""
    names = [head.lower() for head, _ in heads]
    for condition in conditions:
        name, sign, value = condition.partition("=")
        places = [at for at, own in enumerate(names) if own.startswith(name.lower().rstrip("s"))]
        if sign and places and row[places[0]] not in value.split(","):
            return False
    return True


def _table(
    heads: tuple[tuple[str, int], ...], rows: list[tuple[str, ...]], plain: bool, bare: bool
) -> str:
    if plain:
        table = [tuple(head for head, _ in heads), *rows][1 if bare else 0 :]
        return joined(["|".join(row) for row in table])
    lines = [
        "".join(f"{cell[:width]:>{width}} " for cell, (_, width) in zip(row, heads, strict=True))
        for row in rows
    ]
    if not bare:
        lines.insert(0, "".join(f"{head:>{width}} " for head, width in heads))
        lines.insert(1, "".join("-" * width + " " for _, width in heads))
    return joined(lines)


def _associations(site: Site) -> Table:
    heads = (
        ("Cluster", 10),
        ("Account", 10),
        ("User", 10),
        ("Partition", 10),
        ("Share", 9),
        ("QOS", 20),
        ("Def QOS", 9),
    )
    cluster = site.incident.plant.cluster
    rows: list[tuple[str, ...]] = [(cluster, "root", "", "", "1", "normal", "")]
    for team, members in sorted(TEAMS.items()):
        rows.append((cluster, team, "", "", "1", "high,normal", ""))
        rows += [(cluster, team, user, "", "1", "high,normal", "normal") for user in members]
    return heads, rows


def _accounts(site: Site) -> Table:
    heads = (("Account", 10), ("Descr", 20), ("Org", 20))
    return heads, [(team, team, team) for team in ("root", *sorted(TEAMS))]


def _users(site: Site) -> Table:
    heads = (("User", 10), ("Def Acct", 10), ("Admin", 9))
    rows = [(user, account, "None") for user, account in sorted(USERS.items())]
    return heads, [("root", "root", "Administ+"), *rows]


def _qualities(site: Site) -> Table:
    heads = (
        ("Name", 10),
        ("Priority", 10),
        ("GraceTime", 10),
        ("PreemptMode", 11),
        ("UsageFactor", 11),
    )
    return heads, [
        ("normal", "10", "00:00:00", "cluster", "1.000000"),
        ("high", "100", "00:00:00", "cluster", "1.000000"),
    ]


def _clusters(site: Site) -> Table:
    plant = site.incident.plant
    heads = (("Cluster", 10), ("ControlHost", 15), ("ControlPort", 12), ("RPC", 5), ("Share", 9))
    return heads, [(plant.cluster, "10.20.0.22", "6817", "9728", "1")]
