"""One charge of the bill, and who charges what where; money in whole US cents."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from scenarios.cost.draw import Month


@dataclass(frozen=True, slots=True)
class Seller:
    """Who provides, publishes and invoices; `account` is our number there, `code` begins its invoices."""

    provider: str
    publisher: str
    account: str
    code: str
    kind: str = "Customer account"


@dataclass(frozen=True, slots=True)
class Account:
    """An account below the billing account; `kind` says what the seller calls it."""

    id: str
    name: str
    kind: str = "Project"


@dataclass(frozen=True, slots=True)
class Place:
    """A region, and a zone of it or ""."""

    region: str
    name: str
    zone: str = ""


@dataclass(frozen=True, slots=True)
class Thing:
    """A resource."""

    id: str
    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class Sku:
    """What is sold: `cents` of list price and `agreed` of ours for one `unit`.

    `pricing` is FOCUS's PricingCategory; `details` are FOCUS's SkuPriceDetails as JSON, or "".
    """

    id: str
    service: str
    category: str
    subcategory: str
    meter: str
    unit: str
    cents: int = 0
    agreed: int = 0
    pricing: str = "Standard"
    details: str = ""


@dataclass(frozen=True, slots=True)
class Commitment:
    """A commitment for a year of so many hours."""

    id: str
    name: str
    kind: str = "Reserved instances"


@dataclass(frozen=True, slots=True)
class Row:
    """One charge. `line` is the line of the bill as staff know it: no candidate sees it.

    `quantity` of the SKU's unit; `unit_cents` stands for its price where that differs by month; `billed`
    is on the month's invoice, `effective` is what it costs in this period; `tags` are sorted pairs.
    """

    line: str
    sku: Sku
    seller: Seller
    month: Month
    start: date
    end: date
    quantity: int
    billed: int
    effective: int
    said: str
    account: Account | None = None
    thing: Thing | None = None
    place: Place | None = None
    category: str = "Usage"
    frequency: str = "Usage-Based"
    unit_cents: int | None = None
    commitment: Commitment | None = None
    status: str = ""
    tags: tuple[tuple[str, str], ...] = ()

    @property
    def listed(self) -> int:
        """Cost at list price, in cents."""
        return self.quantity * self.list_price

    @property
    def contracted(self) -> int:
        """Cost at our price without commitments, in cents."""
        return self.quantity * (self.unit_cents if self.unit_cents is not None else self.sku.agreed)

    @property
    def list_price(self) -> int:
        return self.unit_cents if self.unit_cents is not None else self.sku.cents

    @property
    def invoice(self) -> str:
        """Number of the invoice; "" for what nobody invoices."""
        code = self.seller.code
        return _invoice(code, self.month.name) if code else ""

    @property
    def tag_text(self) -> str:
        return _as_json(self.tags) if self.tags else ""


@lru_cache(maxsize=1024)
def _invoice(code: str, month: str) -> str:
    return f"{code}-{month.replace('-', '')}"


@lru_cache(maxsize=1024)
def _as_json(tags: tuple[tuple[str, str], ...]) -> str:
    return json.dumps(dict(tags), ensure_ascii=False)


def split(total: int, parts: int) -> list[int]:
    """A sum of cents in as many parts, equal but for a cent, that come to the sum again."""
    return [total * (n + 1) // parts - total * n // parts for n in range(parts)]
