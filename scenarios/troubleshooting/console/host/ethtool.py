"""`ethtool`: settings, driver and counters of an interface."""

from __future__ import annotations

from scenarios.troubleshooting.console.command import SWITCH, Call, Failed, joined
from scenarios.troubleshooting.console.host.network import interfaces, traffic
from scenarios.troubleshooting.console.site import Site


def ethtool(call: Call) -> str:
    flags = [word for word in call.args if word.startswith("-")]
    names = [word for word in call.args if not word.startswith("-")]
    if len(names) != 1:
        raise Failed("ethtool: bad command line argument(s)\nFor more information run ethtool -h")
    name = names[0]
    chosen = [one for one in interfaces(call.site, call.host) if one.name == name]
    if not chosen:
        raise Failed(
            f"netlink error: No such device\nCannot get device settings: No such device ({name})",
            75,
        )
    if "-S" in flags or "--statistics" in flags:
        return _counters(call.site, call.host, name)
    if "-i" in flags or "--driver" in flags:
        return _driver(call.site, call.host, name)
    if "-a" in flags or "--show-pause" in flags:
        return f"Pause parameters for {name}:\nAutonegotiate:\toff\nRX:\t\ton\nTX:\t\ton\n\n"
    if "-g" in flags or "--show-ring" in flags:
        return _ring(name)
    if "-k" in flags or "--show-features" in flags:
        return f"Features for {name}:\n" + joined([f"{feature}: on" for feature in _FEATURES])
    if flags:
        raise Failed("netlink error: Operation not permitted", 1)
    return joined(_settings(name))


_FEATURES = (
    "rx-checksumming",
    "tx-checksumming",
    "scatter-gather",
    "tcp-segmentation-offload",
    "generic-segmentation-offload",
    "generic-receive-offload",
    "rx-vlan-offload",
    "tx-vlan-offload",
    "receive-hashing",
    "highdma [fixed]",
)
_COPPER = ("10baseT/Half 10baseT/Full", "100baseT/Half 100baseT/Full", "1000baseT/Full")
_FIBRE = (
    "1000baseKX/Full", "10000baseKR/Full", "25000baseCR/Full", "25000baseKR/Full", "25000baseSR/Full",
    "50000baseCR2/Full", "50000baseKR2/Full", "100000baseKR4/Full", "100000baseSR4/Full",
    "100000baseCR4/Full", "100000baseLR4_ER4/Full",
)  # fmt: skip


def _driver(site: Site, host: str, name: str) -> str:
    kernel, bus, firmware = site.incident.plant.versions.kernel, "", "N/A"
    if name.startswith("ens1"):
        driver, bus, firmware = "mlx5_core", f"0000:98:00.{name[5]}", "22.41.1000 (MT_0000000359)"
    elif name.startswith("ib"):
        driver, hca = "mlx5_core[ib_ipoib]", site.nodes[host].hcas[int(name[2:])]
        bus, firmware = hca.bus_id, hca.firmware
    elif name.startswith("swp"):
        driver, bus, firmware = "mlxsw_spectrum", "0000:01:00.0", "30.2010.1406"
    elif name == "eno1":
        driver, bus, firmware = "igb", "0000:e3:00.0", "3.30, 0x800008e0"
    else:
        driver = "802.1Q VLAN Support" if "." in name else "bonding"
    known = "yes" if bus else "no"
    rows = (("driver", driver), ("version", kernel), ("firmware-version", firmware),
            ("expansion-rom-version", ""), ("bus-info", bus), ("supports-statistics", known),
            ("supports-test", known),
            ("supports-eeprom-access", "no"), ("supports-register-dump", "no"),
            ("supports-priv-flags", known))  # fmt: skip
    return joined([f"{name}: {text}" for name, text in rows])


def _ring(name: str) -> str:
    most, now = (4_096, 256) if name == "eno1" else (8_192, 1_024)
    rows = [f"Ring parameters for {name}:"]
    for title, size in (("Pre-set maximums:", most), ("Current hardware settings:", now)):
        rows += [title, f"RX:\t\t{size}", "RX Mini:\tn/a", "RX Jumbo:\tn/a", f"TX:\t\t{size}"]
    return joined(rows)


def _modes(title: str, modes: tuple[str, ...]) -> list[str]:
    column = " " * 24
    first = f"{title}:".ljust(24)
    return [f"\t{first if at == 0 else column}{mode}" for at, mode in enumerate(modes)]


def _settings(name: str) -> list[str]:
    """What `ethtool DEV` prints for a user who may not change it."""
    if name == "lo":
        return ["Settings for lo:", "\tLink detected: yes"]
    if name.startswith("bond"):
        return [
            f"Settings for {name}:", "\tSupported ports: [  ]", "\tSupported link modes:   Not reported",
            "\tSupported pause frame use: No", "\tSupports auto-negotiation: No",
            "\tSupported FEC modes: Not reported", "\tAdvertised link modes:  Not reported",
            "\tAdvertised pause frame use: No", "\tAdvertised auto-negotiation: No",
            "\tAdvertised FEC modes: Not reported", "\tSpeed: 200000Mb/s", "\tDuplex: Full",
            "\tAuto-negotiation: off", "\tPort: Other", "\tPHYAD: 0", "\tTransceiver: internal",
            "\tLink detected: yes",
        ]  # fmt: skip
    copper = name == "eno1"
    modes = _COPPER if copper else _FIBRE
    fec = "Not reported" if copper else "RS"
    return [
        f"Settings for {name}:", f"\tSupported ports: [ {'TP' if copper else 'FIBRE'} ]",
        *_modes("Supported link modes", modes), "\tSupported pause frame use: Symmetric",
        "\tSupports auto-negotiation: Yes",
        f"\tSupported FEC modes: {'Not reported' if copper else 'None	 RS	 BASER'}",
        *_modes("Advertised link modes", modes), "\tAdvertised pause frame use: Symmetric",
        "\tAdvertised auto-negotiation: Yes", f"\tAdvertised FEC modes: {fec}",
        "\tLink partner advertised link modes:  Not reported",
        "\tLink partner advertised pause frame use: No",
        "\tLink partner advertised auto-negotiation: Yes",
        f"\tLink partner advertised FEC modes: {fec}",
        f"\tSpeed: {1_000 if copper else 100_000}Mb/s", "\tDuplex: Full", "\tAuto-negotiation: on",
        f"\tPort: {'Twisted Pair' if copper else 'FIBRE'}", f"\tPHYAD: {int(copper)}",
        "\tTransceiver: internal", *(["\tMDI-X: on (auto)"] if copper else []),
        "netlink error: Operation not permitted",
        "        Current message level: 0x00000007 (7)", "                               drv probe link",
        "\tLink detected: yes",
    ]  # fmt: skip


def _counters(site: Site, host: str, name: str) -> str:
    received, sent, refused = traffic(site, host, name)
    if site.kind(host) == SWITCH:
        values = {
            "HwIfInOctets": received,
            "HwIfOutOctets": sent,
            "HwIfInErrors": refused,
            "HwIfInOversizeFrames": refused,
            "HwIfInDiscards": 0,
            "HwIfOutDiscards": 0,
        }
    else:
        values = {
            "rx_packets": received // 4_100,
            "rx_bytes": received,
            "tx_packets": sent // 4_100,
            "tx_bytes": sent,
            "rx_crc_errors_phy": 0,
            "rx_discards_phy": 0,
            "tx_discards_phy": 0,
            "rx_out_of_buffer": 0,
            "rx_oversize_pkts_phy": 0,
            "rx_symbol_err_phy": 0,
            "link_down_events_phy": 0,
            "rx_global_pause": 0,
            "tx_global_pause": 0,
        }
    return joined(["NIC statistics:", *(f"     {key}: {value}" for key, value in values.items())])
