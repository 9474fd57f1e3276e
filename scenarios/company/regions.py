"""Where a company's machines stand, and which regions a cloud and a further site have near and far."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class CloudRegion:
    """A region of a cloud: its key in rows and tags, and what it is called."""

    key: str
    name: str


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Of a place: the cloud's region there, its cheaper one far away, a near and a far region to rent in, a
    further site, and where personal data has to stay. Personal data may not leave for `away` or `far`."""

    home: CloudRegion
    away: CloudRegion
    near: str
    far: str
    beside: str
    residency: str


_VIRGINIA = CloudRegion("us-east", "US East (Virginia)")
_OREGON = CloudRegion("us-west", "US West (Oregon)")
_SINGAPORE = CloudRegion("ap-southeast", "Asia Pacific (Singapore)")
_MUMBAI = CloudRegion("ap-south", "Asia Pacific (Mumbai)")
_EUROPE = CloudRegion("eu-central", "Europe (Frankfurt)")


def _american(beside: str) -> Surroundings:
    away = CloudRegion("ca-east", "Canada East (Montreal)")
    return Surroundings(_VIRGINIA, away, "Virginia", "Montreal", beside, "US")


def _european(home: CloudRegion, beside: str, near: str = "Ireland") -> Surroundings:
    return Surroundings(home, _VIRGINIA, near, "Ohio", beside, "EU")


_KNOWN = {
    "frankfurt": _european(_EUROPE, "Paris"),
    "berlin": _european(_EUROPE, "Paris"),
    "munich": _european(_EUROPE, "Paris"),
    "paris": _european(CloudRegion("eu-west-paris", "Europe (Paris)"), "Stockholm"),
    "dublin": _european(CloudRegion("eu-west", "Europe (Ireland)"), "Amsterdam", "London"),
    "amsterdam": _european(CloudRegion("eu-west-nl", "Europe (Netherlands)"), "Frankfurt"),
    "stockholm": _european(CloudRegion("eu-north", "Europe (Stockholm)"), "Helsinki"),
    "london": Surroundings(
        CloudRegion("uk-south", "United Kingdom (London)"), _VIRGINIA, "Manchester", "Ohio", "Manchester", "UK"
    ),
    "tokyo": Surroundings(
        CloudRegion("ap-northeast", "Asia Pacific (Tokyo)"), _SINGAPORE,
        "Osaka", "Singapore", "Osaka", "Japan",
    ),
    "osaka": Surroundings(
        CloudRegion("ap-northeast-3", "Asia Pacific (Osaka)"), _SINGAPORE,
        "Tokyo", "Singapore", "Tokyo", "Japan",
    ),
    "singapore": Surroundings(
        _SINGAPORE, _MUMBAI,
        "Jakarta", "Mumbai", "Jakarta", "Singapore",
    ),
    "mumbai": Surroundings(
        _MUMBAI, _SINGAPORE,
        "Hyderabad", "Singapore", "Hyderabad", "India",
    ),
    "seoul": Surroundings(
        CloudRegion("ap-northeast-2", "Asia Pacific (Seoul)"), _SINGAPORE,
        "Busan", "Singapore", "Busan", "Korea",
    ),
    "sydney": Surroundings(
        CloudRegion("ap-southeast-2", "Asia Pacific (Sydney)"), _SINGAPORE,
        "Melbourne", "Singapore", "Melbourne", "Australia",
    ),
    "sao paulo": Surroundings(
        CloudRegion("sa-east", "South America (São Paulo)"), _VIRGINIA, "Rio de Janeiro", "Virginia",
        "Rio de Janeiro", "Brazil",
    ),
    "toronto": Surroundings(
        CloudRegion("ca-central", "Canada (Toronto)"), _VIRGINIA, "Montreal", "Virginia", "Montreal", "Canada"
    ),
    "virginia": _american("Ohio"),
    "ashburn": _american("Ohio"),
    "new york": _american("Virginia"),
    "boston": _american("Virginia"),
    "chicago": _american("Ohio"),
    "dallas": _american("Virginia"),
    "austin": _american("Dallas"),
    "seattle": Surroundings(_OREGON, _VIRGINIA, "Oregon", "Virginia", "Oregon", "US"),
    "oregon": Surroundings(_OREGON, _VIRGINIA, "Oregon", "Virginia", "Seattle", "US"),
    "san francisco": Surroundings(_OREGON, _VIRGINIA, "Oregon", "Virginia", "Phoenix", "US"),
}  # fmt: skip
USUAL = "Frankfurt"
BY_CURRENCY = {
    "JPY": "Tokyo", "KRW": "Seoul", "BRL": "São Paulo", "GBP": "London", "INR": "Mumbai", "SGD": "Singapore",
    "AUD": "Sydney", "CAD": "Toronto", "SEK": "Stockholm",
}  # fmt: skip
"""Where the first site of a company stands that says in which money it pays and nothing of its sites."""


def plain_name(region: str) -> str:
    """A place's name as it is looked up: small letters without accents."""
    bare = unicodedata.normalize("NFKD", region).encode("ascii", "ignore").decode()
    return " ".join(bare.lower().replace(",", " ").split())


@cache
def around(region: str) -> Surroundings:
    """What lies around a place; one that we do not know is a region of its own, with names of its own."""
    name = plain_name(region)
    for known, found in _KNOWN.items():
        if name == known or name.startswith(f"{known} ") or name.endswith(f" {known}"):
            return found
    key = "-".join("".join(c if c.isalnum() else " " for c in name).split()) or "home"
    far = CloudRegion(f"{key}-far", f"{region}, the far region")
    return Surroundings(
        CloudRegion(key, region),
        far,
        f"{region} 2",
        f"{region}, the far region",
        f"{region} 2",
        region,
    )
