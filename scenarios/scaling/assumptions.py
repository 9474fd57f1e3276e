"""Figures that no profile gives: assumptions, each with where it comes from."""

from __future__ import annotations

from scenarios.company.profile.tables import PriceBook, Site

MONTH_H = 730.0
"""Hours of a mean month: monthly rates and costs are meant for it."""
RACK_USD = 28_000.0
"""A rack with its power strips and installation: 0.3 M USD for eleven (domain handbook 2.9, worked anchor)."""
POWER_USD_KW = 1_500.0
"""To have one more kW led to the racks, once; its rent follows the price book. An assumption."""
STORAGE_KW_TB = {"parallel": 0.010, "nfs": 0.010, "object": 0.002, "archive": 0.0008}
"""15 to 20 kW for the storage beside 20 nodes (domain handbook 2.8), by kind: an assumption."""
STORAGE_TB_PORT = 25.0
"""Parallel storage behind one leaf port: an assumption, 40 ports for 1,000 TB."""
STORAGE_YEARS = 5
SWITCH_YEARS = 6
"""Years over which they are written off."""
NODES_AN_ENGINEER = 6.5
FEWEST_ENGINEERS = 2.0
"""3 to 4 people run 20 nodes (domain handbook 2.9, worked anchor)."""
IDLE_DRAW, FULL_DRAW = 0.30, 0.78
"""Draw of a node over its most: idle, and at work (65 to 80 % while training, domain handbook 2.8)."""
USABLE_UPLINK = 0.6
"""Part of the uplinks' nominal speed that many flows reach together with static routing. An assumption."""
RECLAIMS_HOUR = 1.0 / 48.0
"""Reclaims of a spot node in an hour: an assumption within what providers publish."""
NODE_FAILURES_DAY = 0.0048
"""Failures of a node in a day: between Llama 3 (0.0038) and Meta RSC (0.0065, 0.0023), handbook 2.6."""
REPAIR_H = 30
"""Hours that a failed node is away: an assumption, a day and a quarter for parts and burn-in."""
EGRESS_GB_GPU_HOUR = 0.6
"""Results that leave the cloud for each GPU-hour at work there: an assumption."""
CLOUD_READ = 0.3
"""Part of a job's reads that come over the line when it runs in a cloud: the rest is read again there."""
CLOUD_EXTRAS = 1.35
"""The whole price of a rented GPU over its list price: storage, network and support make it a third or a half
dearer (domain handbook 2.9)."""
LINK_USD_GBPS = 90.0
"""Rent of one Gb/s of a line to the cloud for a month: an assumption."""
REMOTE_GBS = 2.5
"""Storage at another site, over a line of 20 Gb/s, where a site has none of its own. An assumption."""
NOT_THERE = 0.12
"""Part of the hours in which GPUs on demand are sold out: an assumption."""


def running_usd(book: PriceBook, nodes_usd: float, gpus: float, nodes: float) -> dict[str, float]:
    """Running costs in a month that follow from what is there: part -> USD."""
    engineers = max(FEWEST_ENGINEERS, nodes / NODES_AN_ENGINEER)
    return {
        "support": nodes_usd * book.support_percent / 100 / 12,
        "licences": gpus * book.licence_gpu_year / 12,
        "engineers": engineers * book.engineer_year / 12,
    }


def electricity_usd(site: Site, kwh: float) -> float:
    """What IT equipment costs that drew so many kWh, with the building's part (PUE)."""
    return kwh * site.pue * site.price_kwh
