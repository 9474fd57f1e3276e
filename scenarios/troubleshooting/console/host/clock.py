"""`date`, `chronyc`, `timedatectl`: the host's clock, which stands still."""

from __future__ import annotations

from datetime import UTC, datetime

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.console.command import Call, Failed, joined
from scenarios.troubleshooting.console.host.told import told
from scenarios.troubleshooting.console.logs.when import instant
from scenarios.troubleshooting.console.options import MAYBE, NONE, ONE, Grammar
from scenarios.troubleshooting.texts.owners import shown

_DATE = Grammar(
    "date",
    "uR",
    "dIrs",
    {
        "date": ("d", ONE),
        "utc": ("u", NONE),
        "universal": ("u", NONE),
        "rfc-email": ("R", NONE),
        "iso-8601": ("I", MAYBE),
        "rfc-3339": ("3339", ONE),
        "set": ("s", ONE),
        "reference": ("r", ONE),
    },
    "Try 'date --help' for more information.",
)
_KNOWN = set("aAbBcCdDeFgGhHIjklmMnNpPrRsStTuUVwWxXyYzZ%")
_DEFAULT = "%a %b %e %H:%M:%S %Z %Y"
_FORMS = {
    "": "%Y-%m-%d",
    "date": "%Y-%m-%d",
    "hours": "%Y-%m-%dT%H%z",
    "minutes": "%Y-%m-%dT%H:%M%z",
    "seconds": "%Y-%m-%dT%H:%M:%S%z",
    "ns": "%Y-%m-%dT%H:%M:%S,%N%z",
}


def date(call: Call) -> str:
    """Formats, `-u`, `-d`, `-I`, `-R`; nobody may set the clock."""
    words = ["--iso-8601" if word == "-I" else word for word in call.args]
    words = [
        f"--iso-8601={word[2:]}" if word.startswith("-I") and len(word) > 2 else word
        for word in words
    ]
    asked = _DATE.read(words)
    if asked.has("s"):
        raise Failed("date: cannot set date: Operation not permitted")
    site, at = call.site, call.site.looked_ms
    if asked.has("d"):
        found = instant(site, asked.get("d") or "")
        if found is None:
            raise Failed(f"date: invalid date '{asked.get('d')}'")
        at = found
    here = shown(site.incident, call.host, at)
    if asked.has("u"):
        here = here.astimezone(UTC)
    form = _DEFAULT
    if asked.has("I"):
        names = [name for name in _FORMS if name.startswith(asked.get("I") or "")]
        if not names:
            raise Failed(f"date: invalid argument '{asked.get('I')}' for '--iso-8601'")
        form = _FORMS[names[0]]
    form = "%a, %d %b %Y %H:%M:%S %z" if asked.has("R") else form
    for word in asked.rest:
        if not word.startswith("+"):
            raise Failed(f"date: invalid date '{word}'")
        form = word[1:]
    return f"{formatted(here, form)}\n"


def formatted(here: datetime, form: str) -> str:
    """strftime with the handful of codes that GNU date has beside it."""
    more = {
        "s": str(int(here.timestamp())),
        "N": f"{here.microsecond * 1000:09d}",
        "P": here.strftime("%p").lower(),
        "k": f"{here.hour:>2}",
        "l": f"{here.hour % 12 or 12:>2}",
        "n": "\n",
        "t": "\t",
    }
    found, words = "", iter(form)
    for sign in words:
        if sign != "%":
            found += sign
            continue
        code = next(words, "")
        pad = ""
        while code and code in "-_0^":
            pad, code = code, next(words, "")
        if code not in _KNOWN:
            found += f"%{pad}{code}"
        elif code in more:
            found += more[code]
        else:
            text = here.strftime(f"%{code}")
            found += text.lstrip("0") or "0" if pad == "-" else text
    return found


def chronyc(call: Call) -> str:
    words = [word for word in call.args if not word.startswith("-")]
    site, host = call.site, call.host
    ahead = site.ahead_ms(host)
    if words[:1] == ["tracking"]:
        return _tracking(call, ahead)
    if words[:1] in (["sources"], ["sourcestats"]):
        draw = Stream(site.incident.seed, f"chrony sources {host}")
        rows = [
            "MS Name/IP address         Stratum Poll Reach LastRx Last sample               ",
            "=" * 79,
        ]
        for number, name in enumerate(("10.20.0.11", "10.20.0.12")):
            sign = "?" if ahead else "*" if number == 0 else "+"
            reach, last = ("0", "-") if ahead else ("377", str(int(draw.between(3, 60))))
            micro = int(draw.between(-40, 40))
            sample = (
                "+0ns[   +0ns] +/-    0ns"
                if ahead
                else f"{micro:+d}us[{micro + 2:+d}us] +/- {int(draw.between(200, 900))}us"
            )
            rows.append(
                f"^{sign} {name:<27}  {0 if ahead else 2}   6   {reach:>3}  {last:>4}  {sample:>24}"
            )
        return joined(rows)
    if words[:1] == ["activity"]:
        return "200 OK\n2 sources online\n0 sources offline\n"
    if not words:
        raise Failed("chronyc: this terminal takes one command at a time: chronyc tracking")
    raise Failed(
        "501 Not authorised"
        if words[0] in ("makestep", "burst", "online", "offline", "add")
        else "Unrecognized command"
    )


def _tracking(call: Call, ahead: int) -> str:
    """A clock that nobody disciplines has no reference; it cannot know by how much it is wrong."""
    site, host = call.site, call.host
    draw = Stream(site.incident.seed, f"chrony {host} now")
    when = site.looked_ms - int(draw.between(8, 60)) * 1000
    stamp = datetime.fromtimestamp(when // 1000, UTC)
    offset = draw.between(2e-6, 4e-5)
    node = site.nodes.get(host)
    if node is not None and not ahead:
        offset = abs(site.readings(host).at("node_timex_offset_seconds", site.looked_ms)) or offset
    rows = (
        ("Reference ID", "00000000 ()" if ahead else "0A14000B (10.20.0.11)"),
        ("Stratum", "0" if ahead else "3"),
        (
            "Ref time (UTC)",
            "Thu Jan 01 00:00:00 1970" if ahead else f"{stamp:%a %b %d %H:%M:%S %Y}",
        ),
        ("System time", f"{0.0 if ahead else offset:.9f} seconds slow of NTP time"),
        ("Last offset", f"{'+0.000000000' if ahead else f'{offset / 3:+.9f}'} seconds"),
        ("RMS offset", f"{0.0 if ahead else offset * 1.4:.9f} seconds"),
        ("Frequency", f"{draw.between(4, 22):.3f} ppm slow"),
        ("Residual freq", f"{0.0 if ahead else draw.between(-0.004, 0.004):+.3f} ppm"),
        ("Skew", f"{0.0 if ahead else draw.between(0.01, 0.09):.3f} ppm"),
        ("Root delay", f"{1.0 if ahead else draw.between(0.0003, 0.0012):.9f} seconds"),
        ("Root dispersion", f"{1.0 if ahead else draw.between(0.0002, 0.0009):.9f} seconds"),
        ("Update interval", f"{0.0 if ahead else 64.4:.1f} seconds"),
        ("Leap status", "Not synchronised" if ahead else "Normal"),
    )
    return joined([f"{name:<16}: {value}" for name, value in rows])


def timedatectl(call: Call) -> str:
    words = [word for word in call.args if not word.startswith("-")]
    if words and words[0] not in ("status", "show"):
        if words[0] in ("set-time", "set-ntp", "set-timezone"):
            raise Failed(f"Failed to {words[0].replace('-', ' ')}: Access denied")
        raise Failed(f"Unknown command verb {words[0]}.")
    return told(call.site, call.host)["timedatectl"]
