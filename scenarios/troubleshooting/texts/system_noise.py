"""What healthy machines write all day: cron, logins, timers, slurmd, configuration management, chrony.

About 20,000 entries a day for the default site of 20 nodes: 900 for a node, 300 for a server. No entry here
belongs to a cause or a herring.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import DAY, HOUR, MINUTE, SECOND
from scenarios.troubleshooting.jobs import Job
from scenarios.troubleshooting.texts.slurm_words import uid
from scenarios.troubleshooting.texts.system_host import kind_of
from scenarios.troubleshooting.truth import Incident

Said = tuple[int, str, str, str]
"""Time (ms UTC), unit, severity, text."""
_HOURLY = "(root) CMD (   cd / && run-parts --report /etc/cron.hourly)"
_ADMINS = (
    ("m.ferrari", "10.20.250.11"),
    ("r.lindqvist", "10.20.250.14"),
    ("d.okoye", "10.20.250.22"),
)


def started(incident: Incident, host: str, boot: int) -> Iterator[Said]:
    """What units of a node say while it starts."""
    plant = incident.plant
    for after, unit, text in (
        (5, "systemd", "systemd 249.11-0ubuntu3.12 running in system mode."),
        (6, "systemd", f"Hostname set to <{host}>."),
        (12, "systemd-networkd", "bond0: Gained carrier"),
        (
            17,
            "chronyd",
            "chronyd version 4.2 starting (+CMDMON +NTP +REFCLOCK +RTC +PRIVDROP +SCFILTER)",
        ),
        (24, "chronyd", f"Selected source 10.20.0.11 (ntp1.{plant.domain})"),
        (27, "nvidia-persistenced", "Started (1217)"),
        (29, "nvidia-fabricmanager", "Successfully configured all the available NVSwitches."),
        (31, "nv-hostengine", "DCGM initialized"),
        (33, "systemd", "Started NVIDIA DCGM exporter."),
        (36, "slurmd", f"slurmd version {plant.versions.slurm} started"),
        (37, "systemd", "Reached target Multi-User System."),
        (
            38,
            "systemd",
            "Startup finished in 31.402s (firmware) + 9.802s (kernel) + 37.714s (userspace).",
        ),
    ):
        yield boot + after * SECOND, unit, "info", text


def background(incident: Incident, host: str, first: int) -> Iterator[Said]:
    """Entries of one host from `first` to the window's end, every kind in its own order."""
    end = incident.calendar.window_end
    return (said for said in chain.from_iterable(_kinds(incident, host, first)) if said[0] < end)


def _kinds(incident: Incident, host: str, first: int) -> Iterator[Iterator[Said]]:
    kind = kind_of(incident, host)
    # Old journals were thinned out: only daily entries are left from before the window.
    full = max(first, incident.calendar.window_start)
    yield _daily(incident, host, first)
    yield _cron(incident, host, full)
    yield _chrony(incident, host, full)
    if kind == "node":
        yield _slurmd(incident, host, full)
        yield _housekeeping(incident, host, full)
    elif kind == "login":
        yield _logins(incident, host, full)
    elif kind in ("oss", "mds"):
        yield _lustre(incident, host, full)
    else:
        yield _service(incident, host, full)


def _ticks(draw: Stream, first: int, end: int, mean: float) -> Iterator[int]:
    """Instants a mean distance apart (ms), at random."""
    at = first + draw.exponential(mean)
    while at < end:
        yield int(at)
        at += draw.exponential(mean) + 400


def _daily(incident: Incident, host: str, first: int) -> Iterator[Said]:
    calendar = incident.calendar
    offset = calendar.zone.offset * MINUTE
    late = int(Stream(incident.seed, f"daily {host}").between(0, 50) * MINUTE)
    day = (first + offset) // DAY * DAY - offset
    while day < calendar.window_end:
        for after, name in (
            (10 * MINUTE, "Rotate log files"),
            (6 * HOUR + 10 * MINUTE, "Daily apt download activities"),
            (6 * HOUR + 25 * MINUTE, "Daily man-db regeneration"),
        ):
            at = day + after + late
            if first <= at < calendar.window_end:
                unit = {"R": "logrotate", "D": "apt-daily"}[name[0]]
                unit = "man-db" if "man-db" in name else unit
                yield at, "systemd", "info", f"Starting {name}..."
                yield at + 1_900, "systemd", "info", f"{unit}.service: Deactivated successfully."
                yield at + 1_950, "systemd", "info", f"Finished {name}."
        day += DAY


def _cron(incident: Incident, host: str, first: int) -> Iterator[Said]:
    """The hourly run, the health check of nodes every quarter of an hour, and the accounting of activity."""
    end = incident.calendar.window_end
    node = kind_of(incident, host) == "node"
    late = int(Stream(incident.seed, f"timer {host}").between(0, 9) * SECOND)
    at = first // (5 * MINUTE) * 5 * MINUTE + 5 * MINUTE
    while at < end:
        if at % HOUR == 15 * MINUTE:
            yield from _crond(at + 2 * MINUTE + 1_000, _HOURLY)
        if node and at % (15 * MINUTE) == 0:
            yield from _crond(
                at + 1_000, "(root) CMD (/usr/local/sbin/node-health --quick >/dev/null)"
            )
        if at % ((10 if node else 30) * MINUTE) == 0:
            unit = "sysstat-collect.service: Deactivated successfully."
            yield at + late + 30, "systemd", "info", unit
            yield at + late + 31, "systemd", "info", "Finished system activity accounting tool."
        at += 5 * MINUTE


def _crond(at: int, text: str) -> Iterator[Said]:
    """A cron job as PAM frames it."""
    yield (
        at,
        "CRON",
        "info",
        "pam_unix(cron:session): session opened for user root(uid=0) by (uid=0)",
    )
    yield at + 5, "CRON", "info", text
    yield at + 900, "CRON", "info", "pam_unix(cron:session): session closed for user root"


def _chrony(incident: Incident, host: str, first: int) -> Iterator[Said]:
    if incident.condition.over(host, "clock_offset_s") is not None:
        return
    draw = Stream(incident.seed, f"chrony {host}")
    sources = ("10.20.0.11", "10.20.0.12")
    for number, at in enumerate(_ticks(draw, first, incident.calendar.window_end, 9 * HOUR)):
        yield at, "chronyd", "info", f"Selected source {sources[number % 2]}"


def _on_node(incident: Incident, host: str) -> Iterator[Job]:
    return (job for job in incident.jobs_of(host) if job.start_ms is not None)


def _slurmd(incident: Incident, host: str, first: int) -> Iterator[Said]:
    """Jobs come and go; every job of the accounts that ran on this node does so here."""
    end = incident.calendar.window_end
    for job in _on_node(incident, host):
        said: list[Said] = []
        start, stop, number = job.start_ms or 0, job.end_ms, job.id
        gpus = len(dict(job.gpus)[host])
        said.append(
            (
                start + 900,
                "slurm-prolog",
                "info",
                f"job {number} user {job.user}: {gpus} GPU(s) checked, ok",
            )
        )
        if host == job.nodes[0]:
            text = f"Launching batch job {number} for UID {uid(incident, job.user)}"
            said.append((start + 1_400, "slurmd", "info", text))
        text = f"launch task StepId={number}.0 request from UID:{uid(incident, job.user)}"
        said.append((start + 4_200, "slurmd", "info", text))
        if stop is not None:
            said.append((stop + 500, "slurmstepd", "info", f"done with step {number}.0"))
            text = f"job {number}: no process left, scratch cleaned"
            said.append((stop + 1_700, "slurm-epilog", "info", text))
        yield from (one for one in said if first <= one[0] < end)


def _housekeeping(incident: Incident, host: str, first: int) -> Iterator[Said]:
    """Configuration management every half hour, SMART checks, an administrator's loop over all nodes."""
    draw = Stream(incident.seed, f"housekeeping {host}")
    end = incident.calendar.window_end
    at = first + int(draw.between(0, 30) * MINUTE)
    while at < end:
        yield at, "puppet-agent", "notice", f"Applied catalog in {draw.between(9, 17):.2f} seconds"
        disk = int(draw.between(0, 8))
        warm = int(draw.between(33, 42))
        text = f"Device: /dev/nvme{disk}, SMART/Health Information: Temperature {warm} Celsius"
        yield at + 4 * MINUTE, "smartd", "info", text
        at += 30 * MINUTE + int(draw.between(-20, 20) * SECOND)
    for at in _ticks(draw, first, end, 4 * HOUR):
        who, address = draw.pick([(admin, 1.0) for admin in _ADMINS])
        port = int(draw.between(32_768, 60_999))
        yield at, "sshd", "info", f"Accepted publickey for {who} from {address} port {port} ssh2"
        yield (
            at + 40,
            "sshd",
            "info",
            f"pam_unix(sshd:session): session opened for user {who}(uid=1107) by (uid=0)",
        )
        yield at + 1_900, "sshd", "info", f"pam_unix(sshd:session): session closed for user {who}"
    said = (
        ("dbus-daemon", "[system] Successfully activated service 'org.freedesktop.hostname1'"),
        ("rsyslogd", '[origin software="rsyslogd" swVersion="8.2112.0"] rsyslogd was HUPed'),
        ("nv-hostengine", "Client connected: 127.0.0.1"),
    )
    for at in _ticks(draw, first, end, 5 * HOUR):
        unit, text = draw.pick([(pair, 1.0) for pair in said])
        yield at, unit, "info", text


def _logins(incident: Incident, host: str, first: int) -> Iterator[Said]:
    """People come and go on the login node."""
    draw = Stream(incident.seed, f"logins {host}")
    users = sorted({job.user for job in incident.jobs})
    for at in _ticks(draw, first, incident.calendar.window_end, DAY / 260):
        user = draw.pick([(name, 1.0) for name in users])
        address = f"10.30.{int(draw.between(0, 8))}.{int(draw.between(2, 250))}"
        port = int(draw.between(32_768, 60_999))
        yield at, "sshd", "info", f"Accepted publickey for {user} from {address} port {port} ssh2"
        yield (
            at + 40,
            "sshd",
            "info",
            f"pam_unix(sshd:session): session opened for user {user} by (uid=0)",
        )
        left = at + int(draw.lognormal(25 * MINUTE, 1.1))
        if left < incident.calendar.window_end:
            yield left, "sshd", "info", f"pam_unix(sshd:session): session closed for user {user}"


def _lustre(incident: Incident, host: str, first: int) -> Iterator[Said]:
    draw = Stream(incident.seed, f"lustre {host}")
    for at in _ticks(draw, first, incident.calendar.window_end, DAY / 140):
        unit, text = draw.pick(
            (
                (("multipathd", "sdc: path is up"), 0.15),
                (
                    (
                        "smartd",
                        "Device: /dev/nvme3, SMART/Health Information: Temperature 41 Celsius",
                    ),
                    0.45,
                ),
                (("lustre_exporter", 'level=info msg="collected" targets=8'), 0.40),
            )
        )
        yield at, unit, "info", text


def _service(incident: Incident, host: str, first: int) -> Iterator[Said]:
    """Service hosts: administrators log in, daemons keep house."""
    draw = Stream(incident.seed, f"service {host}")
    for at in _ticks(draw, first, incident.calendar.window_end, DAY / 90):
        if draw.chance(0.15):
            who, address = draw.pick([(admin, 1.0) for admin in _ADMINS])
            port = int(draw.between(32_768, 60_999))
            yield (
                at,
                "sshd",
                "info",
                f"Accepted publickey for {who} from {address} port {port} ssh2",
            )
        else:
            yield at, "systemd", "info", "Starting Collect system activity..."
            yield at + 30, "systemd", "info", "sysstat-collect.service: Deactivated successfully."
