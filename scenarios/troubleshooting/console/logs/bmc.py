"""`ipmitool` on the machine itself: what its board controller answers."""

from __future__ import annotations

from collections.abc import Callable

from scenarios.troubleshooting.console.command import NODE, Call, Failed, joined
from scenarios.troubleshooting.console.reply import Reply
from scenarios.troubleshooting.console.site import Site, text
from scenarios.troubleshooting.plant import Node
from scenarios.troubleshooting.texts.bmc import Sensor, sdr, sel, sensor_list, sensors
from scenarios.troubleshooting.texts.owners import universal

_USAGE = (
    "ipmitool version 1.8.18\n\nusage: ipmitool [options...] <command>\n\nCommands:\n"
    "\tchassis       Get chassis status and set power state\n\tfru           Print built-in FRU\n"
    "\tlan           Configure LAN Channels\n\tmc            Management Controller status\n"
    "\tsdr           Print Sensor Data Repository entries and readings\n"
    "\tsel           Print System Event Log (SEL)\n\tsensor        Print detailed sensor information"
)
_TAKES = ("-I", "-H", "-U", "-P", "-p", "-L", "-t", "-b", "-E", "-f", "-C", "-o", "-S")


def ipmitool(call: Call) -> str | Reply:
    words, options = list(call.args), {}
    while words and words[0].startswith("-"):
        option = words.pop(0)
        options[option] = words.pop(0) if option in _TAKES and words else ""
    if "-h" in options or words[:1] == ["help"]:
        return Reply("", f"{_USAGE}\n", 0)
    if "-V" in options:
        return "ipmitool version 1.8.18\n"
    if "-H" in options or options.get("-I", "").startswith("lan"):
        # Nobody gave this account a password of the board controllers.
        raise Failed("Error: Unable to establish IPMI v2 / RMCP+ session")
    if not words:
        raise Failed(f"No command provided!\n{_USAGE}")
    parts: dict[str, Callable[[Site, str, list[str]], str]] = {
        "sdr": _sdr,
        "sensor": _sensor,
        "sel": _sel,
        "chassis": _chassis,
        "power": _power,
        "mc": _mc,
        "bmc": _mc,
        "fru": _fru,
        "lan": _lan,
        "dcmi": _dcmi,
    }
    run = parts.get(words[0])
    if run is None:
        raise Failed(f"Invalid command: {words[0]}")
    return run(call.site, call.host, words[1:])


def _node(site: Site, host: str) -> Node:
    """The node whose sensors are asked; storage servers' controllers keep only their event log."""
    if site.kind(host) != NODE:
        raise Failed(
            "Unable to open SDR for reading\nGet Device ID command failed: Insufficient privilege level"
        )
    return site.nodes[host]


def _sdr(site: Site, host: str, rest: list[str]) -> str:
    word = rest[0] if rest else "list"
    node = _node(site, host)
    if word == "elist":
        return text(sdr(site.incident, node, site.looked_ms).lines)
    found = list(sensors(site.incident, node, site.looked_ms))
    if word == "list":
        return joined([_short(one) for one in found])
    if word == "type":
        return _typed(site, node, found, rest[1:])
    if word in ("get", "entity") and len(rest) > 1:
        return _got(found, rest[1:])
    if word == "info":
        return f"SDR Version  : 0x51\nRecord Count : {len(found)}\n"
    raise Failed(
        "usage: sdr <command> [options]\n               list | elist [option]\n               type [option]"
    )


def _value(one: Sensor) -> str:
    return "no reading" if one.reading is None else f"{one.reading:.0f} {one.unit}"


def _short(one: Sensor) -> str:
    return f"{one.name:<16} | {_value(one):<17} | {one.status}"


_TYPES = {
    "temperature": "degrees C",
    "fan": "RPM",
    "power supply": "Watts",
    "current": "Amps",
    "voltage": "Volts",
}


def _typed(site: Site, node: Node, found: list[Sensor], rest: list[str]) -> str:
    if not rest or rest[0] == "list":
        return "Sensor Types:\n" + joined([f"\t{name.title()}" for name in _TYPES])
    unit = _TYPES.get(" ".join(rest).lower())
    if unit is None:
        raise Failed(f'Sensor Type "{rest[0]}" not found.')
    lines = text(sdr(site.incident, node, site.looked_ms).lines).splitlines()
    return joined([line for line, one in zip(lines, found, strict=True) if one.unit == unit])


def _got(found: list[Sensor], names: list[str]) -> str:
    rows = []
    for name in names:
        one = next((sensor for sensor in found if sensor.name == name), None)
        if one is None:
            raise Failed(f"Unable to find sensor id '{name}'")
        reading = "No Reading" if one.reading is None else f"{one.reading:.0f} (+/- 0) {one.unit}"
        rows += [
            f"Sensor ID              : {one.name} (0x{one.number:x})",
            f" Entity ID             : {one.entity}",
            f" Sensor Reading        : {reading}",
            f" Status                : {one.status}",
            *(
                f" {label:<22}: {'na' if limit is None else f'{limit:.3f}'}"
                for label, limit in zip(_LIMITS, one.limits, strict=True)
            ),
            "",
        ]
    return joined(rows)


_LIMITS = (
    "Lower non-recoverable",
    "Lower critical",
    "Lower non-critical",
    "Upper non-critical",
    "Upper critical",
    "Upper non-recoverable",
)


def _sensor(site: Site, host: str, rest: list[str]) -> str:
    node = _node(site, host)
    if not rest or rest == ["list"]:
        return text(sensor_list(site.incident, node, site.looked_ms).lines)
    if rest[0] in ("get", "reading") and len(rest) > 1:
        found = list(sensors(site.incident, node, site.looked_ms))
        if rest[0] == "reading":
            named = {one.name: one for one in found}
            unknown = [name for name in rest[1:] if name not in named]
            if unknown:
                raise Failed(f'Sensor "{unknown[0]}" not found!')
            return joined([f"{n:<16} | {named[n].reading or 0:.0f}" for n in rest[1:]])
        return _got(found, rest[1:])
    if rest[0] == "thresh":
        raise Failed("Setting thresholds failed: Insufficient privilege level")
    raise Failed(f"Invalid sensor command: {rest[0]}")


def _sel(site: Site, host: str, rest: list[str]) -> str:
    lines = text(sel(site.incident, host, site.traces).lines).splitlines()
    word = rest[0] if rest else "info"
    if word in ("list", "elist"):
        if (
            len(rest) > 2
            and rest[1] in ("first", "last")
            and rest[2].isascii()
            and rest[2].isdigit()
        ):
            count = min(int(rest[2][:6]), len(lines))
            return joined(lines[:count] if rest[1] == "first" else lines[len(lines) - count :])
        return joined(lines)
    if word == "info":
        return joined(
            [
                "SEL Information",
                "Version          : 1.5 (v1.5, v2 compliant)",
                f"Entries          : {len(lines)}",
                f"Free Space       : {16_320 - 16 * len(lines)} bytes ",
                "Overflow         : false",
            ]
        )
    if word in ("clear", "delete"):
        raise Failed("Unable to clear SEL: Insufficient privilege level")
    if word == "time":
        return f"{universal(site.looked_ms):%m/%d/%Y %H:%M:%S}\n"
    raise Failed(f"Invalid SEL command: {word}")


def _chassis(site: Site, host: str, rest: list[str]) -> str:
    if rest[:1] == ["status"] or not rest:
        return joined(
            [
                "System Power         : on",
                "Power Overload       : false",
                "Power Interlock      : inactive",
                "Main Power Fault     : false",
                "Power Control Fault  : false",
                "Power Restore Policy : always-on",
                "Last Power Event     : ",
                "Chassis Intrusion    : inactive",
                "Front-Panel Lockout  : inactive",
                "Drive Fault          : false",
                "Cooling/Fan Fault    : " + _fan_fault(site, host),
            ]
        )
    if rest[0] == "power":
        return _power(site, host, rest[1:])
    raise Failed(f"Set Chassis {rest[0].title()} failed: Insufficient privilege level")


def _fan_fault(site: Site, host: str) -> str:
    if site.kind(host) != NODE:
        return "false"
    found = sensors(site.incident, site.nodes[host], site.looked_ms)
    return str(any(one.unit == "RPM" and one.status != "ok" for one in found)).lower()


def _power(site: Site, host: str, rest: list[str]) -> str:
    if rest[:1] == ["status"] or not rest:
        return "Chassis Power is on\n"
    names = {"off": "Down/Off", "on": "Up/On", "cycle": "Cycle", "reset": "Reset", "soft": "Soft"}
    if rest[0] not in names:
        raise Failed(f"Invalid chassis power command: {rest[0]}")
    raise Failed(
        f"Set Chassis Power Control to {names[rest[0]]} failed: Insufficient privilege level"
    )


def _mc(site: Site, host: str, rest: list[str]) -> str:
    if rest[:1] not in ([], ["info"]):
        raise Failed(f"MC {rest[0]} failed: Insufficient privilege level")
    return joined(
        [
            "Device ID                 : 32",
            "Device Revision           : 1",
            "Firmware Revision         : 1.03",
            "IPMI Version              : 2.0",
            "Manufacturer ID           : 10876",
            "Manufacturer Name         : Supermicro",
            "Device Available          : yes",
        ]
    )


def _fru(site: Site, host: str, rest: list[str]) -> str:
    if rest[:1] not in ([], ["print"], ["list"]):
        raise Failed(f"Invalid fru command: {rest[0]}")
    serial = site.nodes[host].serial if host in site.nodes else "Not Specified"
    return joined(
        [
            "FRU Device Description : Builtin FRU Device (ID 0)",
            " Chassis Type          : Other",
            " Product Manufacturer  : Supermicro",
            f" Product Name          : {'SYS-821GE-TNHR' if host in site.nodes else 'SSG-121E-NES24R'}",
            f" Product Serial        : {serial}",
        ]
    )


def _lan(site: Site, host: str, rest: list[str]) -> str:
    if rest[:1] not in ([], ["print"]):
        raise Failed("Set LAN parameter failed: Insufficient privilege level")
    if host not in site.nodes:
        raise Failed("Get Channel Info command failed: Insufficient privilege level")
    return joined(
        [
            "Set in Progress         : Set Complete",
            "IP Address Source       : Static Address",
            f"IP Address              : {site.nodes[host].bmc_ip}",
            "Subnet Mask             : 255.255.255.0",
        ]
    )


def _dcmi(site: Site, host: str, rest: list[str]) -> str:
    if rest[:2] != ["power", "reading"]:
        raise Failed("DCMI request failed because: Insufficient privilege level")
    node = _node(site, host)
    watts = sum(
        one.reading or 0
        for one in sensors(site.incident, node, site.looked_ms)
        if one.unit == "Watts"
    )
    when = site.clock(host, site.looked_ms, "%a %b %e %H:%M:%S %Y")
    return joined(
        [
            "",
            f"    Instantaneous power reading:              {watts:>8.0f} Watts",
            f"    IPMI timestamp:                           {when}",
            "    Power reading state is:                   activated",
            "",
        ]
    )
