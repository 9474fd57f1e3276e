"""Who sends the company invoices, and the accounts that it has in the cloud."""

from __future__ import annotations

from functools import cache

from scenarios.cost.draw import Scene
from scenarios.cost.rows import Account, Place, Seller

OWN = Seller("Own data centre", "Own data centre", "finance-gpu", "", "Cost centre")
CLOUD = Seller("Nimbus Cloud", "Nimbus Cloud", "nb-4471-0093", "NBC", "Payer account")
ROOM = Seller("Kontor Colocation", "Kontor Colocation", "kc-20817", "KCO")
SUITE = Seller("Vendor software", "Vendor software", "vs-ent-3312", "VSW")
SUPPORT = Seller("Rackline Systems", "Rackline Systems", "rl-77120", "RLS")
LESSOR = Seller("Lumen Leasing", "Lumen Leasing", "ll-5060", "LLE")

HOME = "eu-central"
AWAY = "us-east"
_NAMES = {HOME: "Europe (Frankfurt)", AWAY: "US East (Virginia)"}
ACCOUNTS = {
    key: Account(f"prj-{key}-{number}", name)
    for key, name, number in (
        ("serving", "serving-prod", 41020),
        ("small", "serving-small", 41037),
        ("burst", "cluster-burst", 41101),
        ("dev", "research-dev", 41113),
        ("batch", "data-batch", 41126),
        ("eval", "model-eval", 41140),
        ("data", "shared-data", 41200),
        ("network", "shared-network", 41210),
    )
}


def place(region: str, zone: str = "") -> Place:
    """A region of the cloud, by its key, with a zone's letter or none."""
    return Place(region, _NAMES[region], f"{region}-{zone}" if zone else "")


def site_place(scene: Scene) -> Place:
    """Where the company's own nodes stand."""
    site = scene.profile.facility.sites[0]
    return Place(slug(site.region), site.region)


@cache
def slug(name: str) -> str:
    """A name as account names and tags hold it."""
    kept = "".join(c if c.isalnum() else "-" for c in name.lower())
    return "-".join(part for part in kept.split("-") if part) or "team"
