"""Who sends the company invoices, and the accounts that it has in the cloud."""

from __future__ import annotations

from functools import cache

from scenarios.company.regions import around
from scenarios.cost.draw import Scene
from scenarios.cost.rows import Account, Place, Seller

OWN = Seller("Own data centre", "Own data centre", "finance-gpu", "", "Cost centre")
CLOUD = Seller("Nimbus Cloud", "Nimbus Cloud", "nb-4471-0093", "NBC", "Payer account")
ROOM = Seller("Kontor Colocation", "Kontor Colocation", "kc-20817", "KCO")
SUITE = Seller("Vendor software", "Vendor software", "vs-ent-3312", "VSW")
SUPPORT = Seller("Rackline Systems", "Rackline Systems", "rl-77120", "RLS")
LESSOR = Seller("Lumen Leasing", "Lumen Leasing", "ll-5060", "LLE")

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


def home_place(scene: Scene, zone: str = "") -> Place:
    """The cloud's region nearest to the company, with a zone's letter or none."""
    home = around(scene.profile.first_region).home
    return Place(home.key, home.name, f"{home.key}-{zone}" if zone else "")


def site_place(scene: Scene) -> Place:
    """Where the company's own nodes stand."""
    site = scene.profile.facility.sites[0]
    return Place(slug(site.region), site.region)


@cache
def slug(name: str) -> str:
    """A name as account names and tags hold it."""
    kept = "".join(c if c.isalnum() else "-" for c in name.lower())
    return "-".join(part for part in kept.split("-") if part) or "team"
