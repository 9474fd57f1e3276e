"""`getent`, `dig`, `nslookup`: names, and the servers that resolve them."""

from __future__ import annotations

from scenarios.troubleshooting.console.command import Call, Failed, joined
from scenarios.troubleshooting.console.reply import Reply
from scenarios.troubleshooting.console.site import Site
from scenarios.troubleshooting.console.slurm.words import USERS
from scenarios.troubleshooting.texts.configs_hosts import host_files
from scenarios.troubleshooting.texts.slurm_words import gid, uid

_SILENT = "10.20.0.53"


def servers(site: Site) -> list[str]:
    """Name servers in the order of /etc/resolv.conf."""
    pair = next(pair for pair in host_files(site.incident) if pair.path == "/etc/resolv.conf")
    return [line.split()[1] for _, line, _ in pair.lines if line.startswith("nameserver")]


def answers(site: Site, server: str) -> bool:
    """Whether a name server is still switched on."""
    gone = any(cause.key == "name-service-slow" for cause in site.incident.causes)
    return server in servers(site) and not (gone and server == _SILENT)


def resolve(site: Site, name: str) -> tuple[str, str] | None:
    """(full name, address) of a host of this site, by name or address."""
    domain = site.incident.plant.domain
    short = name.rstrip(".").removesuffix(f".{domain}")
    if short in site.addresses:
        return f"{short}.{domain}", site.addresses[short]
    found = next((host for host, address in site.addresses.items() if address == name), None)
    return (f"{found}.{domain}", name) if found else None


def getent(call: Call) -> Reply:
    words = [word for word in call.args if not word.startswith("-")]
    if len(words) < 2:
        return Reply(
            "", "getent: wrong number of arguments\nTry `getent --help' for more information.\n", 1
        )
    site, rows = call.site, []
    for name in words[1:]:
        if words[0] in ("hosts", "ahosts", "ahostsv4"):
            found = resolve(site, name)
            rows += [f"{found[1]:<15} {found[0]}"] if found else []
        elif words[0] == "passwd" and name in USERS:
            rows.append(
                f"{name}:x:{uid(site.incident, name)}:{gid(USERS[name])}::/home/{name}:/bin/bash"
            )
        elif words[0] == "group" and name in set(USERS.values()):
            members = ",".join(user for user, account in USERS.items() if account == name)
            rows.append(f"{name}:x:{gid(name)}:{members}")
    if words[0] not in ("hosts", "ahosts", "ahostsv4", "passwd", "group"):
        return Reply("", f"Unknown database: {words[0]}\n", 1)
    return Reply(joined(rows), "", 0 if len(rows) == len(words) - 1 else 2)


def _asked(call: Call) -> tuple[list[str], list[str]]:
    """(servers named with @, names)."""
    named = [word[1:] for word in call.args if word.startswith("@")]
    rest = [word for word in call.args if not word.startswith(("@", "-", "+"))]
    return named, [word for word in rest if word.upper() not in ("A", "AAAA", "PTR", "ANY", "IN")]


def dig(call: Call) -> Reply:
    """Servers are asked in order; one that is off costs five seconds before the next is tried."""
    site, (named, names) = call.site, _asked(call)
    if not names:
        return Reply("", "dig: this terminal takes a name: dig NAME, dig @SERVER NAME\n", 1)
    order = named or servers(site)
    notes: list[str] = []
    for server in order:
        if answers(site, server):
            return Reply(joined([*notes, *_answer(site, names[0], server, "+short" in call.args)]))
        notes.append(f";; communications error to {server}#53: timed out")
    return Reply(
        joined(
            [
                f"\n; <<>> DiG 9.18.28 <<>> {' '.join(call.args)}",
                *notes,
                ";; no servers could be reached",
                "",
            ]
        ),
        "",
        9,
    )


def _answer(site: Site, name: str, server: str, short: bool) -> list[str]:
    found = resolve(site, name)
    if short:
        return [found[1]] if found else []
    rows = ["", f"; <<>> DiG 9.18.28 <<>> {name}", ";; global options: +cmd", ";; Got answer:"]
    status = "NOERROR" if found else "NXDOMAIN"
    rows.append(f";; ->>HEADER<<- opcode: QUERY, status: {status}, id: {20_000 + len(name) * 137}")
    rows += ["", ";; QUESTION SECTION:", f";{name.rstrip('.')}.\t\tIN\tA", ""]
    rows += [";; ANSWER SECTION:", f"{found[0]}.\t3600\tIN\tA\t{found[1]}", ""] if found else []
    when = site.incident.calendar.local(site.looked_ms)
    return [
        *rows,
        ";; Query time: 0 msec",
        f";; SERVER: {server}#53({server}) (UDP)",
        f";; WHEN: {when:%a %b %d %H:%M:%S %Z %Y}",
        "",
    ]


def nslookup(call: Call) -> Reply:
    words = [word for word in call.args if not word.startswith("-")]
    if not words:
        raise Failed("nslookup: this terminal takes a name: nslookup NAME [SERVER]")
    site = call.site
    notes: list[str] = []
    for server in words[1:2] or servers(site):
        if not answers(site, server):
            notes.append(f";; communications error to {server}#53: timed out")
            continue
        found = resolve(site, words[0])
        rows = [*notes, f"Server:\t\t{server}", f"Address:\t{server}#53", ""]
        if found is None:
            return Reply(joined([*rows, f"** server can't find {words[0]}: NXDOMAIN", ""]), "", 1)
        return Reply(joined([*rows, f"Name:\t{found[0]}", f"Address: {found[1]}", ""]))
    return Reply(joined([*notes, ";; no servers could be reached", ""]), "", 1)
