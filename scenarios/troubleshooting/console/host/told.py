"""What the materials' transcripts hold: each command with its output, on any host."""

from __future__ import annotations

import re

from scenarios.troubleshooting.console.command import LOGIN, NODE
from scenarios.troubleshooting.console.site import Site
from scenarios.troubleshooting.texts.lines import Line
from scenarios.troubleshooting.texts.system_commands import server_transcript, transcript
from scenarios.troubleshooting.texts.system_login import login_transcript


def told(site: Site, host: str) -> dict[str, str]:
    """Command line -> output. Nodes of the job and storage servers have theirs among the materials."""
    return site.kept(f"told {host}", lambda: _told(site, host))


def _told(site: Site, host: str) -> dict[str, str]:
    incident, at = site.incident, site.looked_ms
    if site.kind(host) == NODE:
        return _parts(transcript(incident, site.nodes[host], at))
    found = _parts(server_transcript(incident, host, at))
    if site.kind(host) == LOGIN:
        found |= _parts(login_transcript(incident, at))
        # The list of processes says since when the first of them runs.
        days = re.search(r"(\d+)-[\d:]+ +[\d.]+ /sbin/init", "".join(found.values()))
        if days is not None:
            found["uptime"] = re.sub(r"up \d+ days", f"up {days[1]} days", found["uptime"])
    return found


def _parts(lines: tuple[Line, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    command = ""
    for line in lines:
        if line.text.startswith(("[root@", "[ops@")):
            command = line.text.partition("]")[2][2:]
            found[command] = ""
        else:
            found[command] += f"{line.text}\n"
    return found
