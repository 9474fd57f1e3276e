"""What a FOCUS cost file (CSV, versions 1.0 to 1.2) says of prices, storage and running costs.

Column names and their meaning: FinOps Open Cost and Usage Specification, https://focus.finops.org.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache

from scenarios.company.importer.sheet import (
    BadRows,
    Export,
    ImportRefused,
    RowError,
    Sheet,
    amount,
    clip,
)
from scenarios.company.profile.money import DOLLAR, RATES

CATEGORIES = frozenset(("Usage", "Purchase", "Tax", "Credit", "Adjustment"))
PRICING = {"Standard": "on_demand", "Dynamic": "spot", "Committed": "reserved", "Other": "", "": ""}
NEEDED = (
    "BilledCost",
    "EffectiveCost",
    "BillingCurrency",
    "ChargeCategory",
    "ChargePeriodStart",
    "ChargePeriodEnd",
    "ServiceCategory",
)
_HOURS = re.compile(r"(?:instance.?|gpu.?)?(?:hours?|hrs?)", re.IGNORECASE)
_TB_MONTH = {"tb": 1.0, "gb": 1e-3, "mb": 1e-6, "tib": 1.0995, "gib": 1.0737e-3, "pb": 1e3}
_STORED = re.compile(r"([kmgtp]i?b)[ -]?(months?|mo|hours?|hrs?|days?)", re.IGNORECASE)
_SIZE = re.compile(r"([gt]i?b)s?", re.IGNORECASE)
_PER_MONTH = {"m": 1.0, "h": 1 / 730, "d": 1 / 30.4}
# GPUs of instance types whose name does not end in a number of them.
_INSTANCES = {
    "p3.16xlarge": 8,
    "p4d.24xlarge": 8,
    "p4de.24xlarge": 8,
    "p5.4xlarge": 1,
    "p5.48xlarge": 8,
    "p5e.48xlarge": 8,
    "p5en.48xlarge": 8,
    "p6-b200.48xlarge": 8,
    "g5.48xlarge": 8,
    "g6.48xlarge": 8,
    "standard_nd96asr_v4": 8,
    "standard_nd96amsr_a100_v4": 8,
    "standard_nd96isr_h100_v5": 8,
    "standard_nd96isr_h200_v5": 8,
    "standard_nd96isr_mi300x_v5": 8,
    "bm.gpu.h100.8": 8,
    "bm.gpu4.8": 8,
}
_COUNTED = re.compile(r"-(\d{1,2})g$|\.(\d{1,2})$|_(\d{1,2})x_", re.IGNORECASE)


@dataclass(slots=True)
class Mean:
    """Cost and quantity of many rows, and so the price of one."""

    cost: float = 0.0
    quantity: float = 0.0
    rows: int = 0

    def add(self, cost: float, quantity: float) -> None:
        self.cost, self.quantity, self.rows = (
            self.cost + cost,
            self.quantity + quantity,
            self.rows + 1,
        )

    @property
    def price(self) -> float | None:
        return self.cost / self.quantity if self.quantity > 0 and self.cost > 0 else None


@dataclass(slots=True)
class Costs:
    """What one cost file comes to, in USD. `months` is billed cost by month, `prices` mean prices by name.

    Names: on_demand, spot and reserved (of a GPU-hour), storage (of a TB-month), egress (of a GB),
    power (of a kWh), colocation (of a kW-month), licence (of a GPU-year).
    """

    rows: int = 0
    prices: dict[str, Mean] = field(default_factory=lambda: defaultdict(Mean))
    months: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    purchases: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    support: float = 0.0
    stored: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    without_gpus: int = 0
    last_day: str = ""
    currency: str = DOLLAR
    """That of the first row that names one; rows in another are bad."""


def read_focus(export: Export, bad: BadRows) -> Costs:
    """Read the whole file. Raises ImportRefused where its columns or its currency cannot be used.

    A profile has one currency, for which a rate to the dollar has to be known: defaults are made with it.
    """
    sheet = Sheet(export, ",", bad, quoted=True)
    sheet.require(*NEEDED)
    reader = _Reader(sheet)
    for line, values in sheet.rows():
        try:
            reader.row(values)
        except RowError as error:
            bad.add(sheet.name, line, str(error))
    if reader.found.currency not in RATES:
        raise ImportRefused(
            f"{sheet.name} is in {reader.found.currency}, of which no rate to the dollar is known here; "
            f"export it in one of {', '.join(RATES)}."
        )
    return reader.found


class _Reader:
    def __init__(self, sheet: Sheet) -> None:
        self.sheet, self.found = sheet, Costs()
        self.currency = ""
        self.values: list[str] = []
        names = (
            *NEEDED,
            "PricingCategory",
            "PricingQuantity",
            "PricingUnit",
            "ConsumedQuantity",
            "ConsumedUnit",
            "SkuPriceDetails",
            "x_SkuDetails",
            "ResourceType",
            "ServiceName",
            "ServiceSubcategory",
            "ChargeDescription",
            "ChargeFrequency",
            "CommitmentDiscountStatus",
        )
        self.at = {name: sheet.find(name) for name in names}

    def get(self, name: str) -> str:
        """The value of a column in the present row; empty where the file has none, or says null."""
        place = self.at[name]
        text = "" if place is None else self.values[place].strip()
        return "" if text in ("null", "NULL") else text

    def row(self, values: list[str]) -> None:
        """Count one row, or raise RowError and count nothing of it."""
        self.values = values
        category, pricing = self.get("ChargeCategory"), self.get("PricingCategory")
        if category not in CATEGORIES:
            raise RowError(f"ChargeCategory is {clip(category)}, which FOCUS does not have.")
        if pricing not in PRICING:
            raise RowError(f"PricingCategory is {clip(pricing)}, which FOCUS does not have.")
        currency = self.get("BillingCurrency")
        if not (len(currency) == 3 and currency.isalpha() and currency.isupper()):
            raise RowError(f"BillingCurrency is {clip(currency)}, which is no code such as USD.")
        if self.currency and currency != self.currency:
            raise RowError(
                f"Its costs are in {currency}, those before it in {self.currency}: a profile has one currency."
            )
        self.currency = self.found.currency = currency
        begins = _instant(self.get("ChargePeriodStart"), "ChargePeriodStart")
        ends = _instant(self.get("ChargePeriodEnd"), "ChargePeriodEnd")
        if ends <= begins:
            raise RowError("ChargePeriodEnd is not after ChargePeriodStart.")
        billed = amount(self.get("BilledCost"), "BilledCost", -1e12)
        effective = amount(self.get("EffectiveCost"), "EffectiveCost", -1e12)
        quantity, unit = self._quantity()
        if category == "Usage" and self.get("CommitmentDiscountStatus") != "Unused":
            self._usage(effective, quantity, unit, begins[:7])
        self._sums(category, billed, effective, begins[:7])
        self.found.rows += 1
        self.found.last_day = max(self.found.last_day, begins[:10])

    def _quantity(self) -> tuple[float, str]:
        for kind in ("Pricing", "Consumed"):
            if text := self.get(f"{kind}Quantity"):
                return amount(text, f"{kind}Quantity", -1e15, 1e15), self.get(f"{kind}Unit")
        return 0.0, ""

    def _usage(self, cost: float, quantity: float, unit: str, month: str) -> None:
        if quantity <= 0 or cost <= 0:
            return
        service = self.get("ServiceCategory")
        if (match := _STORED.fullmatch(unit)) and service == "Storage":
            size = _TB_MONTH.get(match[1].casefold(), 1e-3) * _PER_MONTH[match[2][0].casefold()]
            self.found.prices["storage"].add(cost, quantity * size)
            self.found.stored[month] += quantity * size
        elif _SIZE.fullmatch(unit) and service == "Networking":
            gb = 1e3 if unit[0] in "tT" else 1.0
            self.found.prices["egress"].add(cost, quantity * gb)
        elif unit.casefold() in ("kwh", "kw-hours", "kw-hour"):
            self.found.prices["power"].add(cost, quantity)
        elif unit.casefold() in ("kw-month", "kw-months", "kw-mo"):
            self.found.prices["colocation"].add(cost, quantity)
        elif _HOURS.fullmatch(unit) and service in ("Compute", "AI and Machine Learning"):
            self._compute(cost, quantity, unit)

    def _compute(self, cost: float, hours: float, unit: str) -> None:
        kind = PRICING[self.get("PricingCategory")]
        gpus = 1 if "gpu" in unit.casefold() else self._gpus()
        if not gpus:
            self.found.without_gpus += 1
        elif kind:
            self.found.prices[kind].add(cost, hours * gpus)

    def _gpus(self) -> int:
        details = self.get("SkuPriceDetails") or self.get("x_SkuDetails")
        return _count(details, self.get("ResourceType"))

    def _sums(self, category: str, billed: float, effective: float, month: str) -> None:
        words = f"{self.get('ServiceName')} {self.get('ServiceSubcategory')} {self.get('ChargeDescription')}"
        if category == "Purchase" and self.get("ChargeFrequency") == "One-Time":
            self.found.purchases[month] += billed
            return
        self.found.months[month] += billed
        said = _words(words)
        if said == "support":
            self.found.support += effective
        quantity, unit = self._quantity()
        if said == "licence" and unit.casefold() in _GPU_YEARS and quantity > 0 and effective > 0:
            self.found.prices["licence"].add(effective, quantity * _GPU_YEARS[unit.casefold()])


_GPU_YEARS = {
    "gpu-year": 1.0,
    "gpu-years": 1.0,
    "gpu-month": 1 / 12,
    "gpu-months": 1 / 12,
}


@lru_cache(maxsize=4096)
def _words(text: str) -> str:
    low = text[:400].casefold()
    if "licen" in low or "subscription" in low:
        return "licence"
    return "support" if "support" in low or "maintenance" in low else ""


@lru_cache(maxsize=65_536)
def _instant(text: str, what: str) -> str:
    """The instant in UTC as text that sorts by time. Raises RowError."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise RowError(
            f"{what} is {clip(text)}, which is no time such as 2026-03-01T00:00:00Z."
        ) from None
    if not 2000 <= found.year < 2100:
        raise RowError(f"{what} is {clip(text)}: it must lie between the years 2000 and 2100.")
    found = found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    return found.isoformat()


@lru_cache(maxsize=65_536)
def _count(details: str, resource: str) -> int:
    """GPUs of the instance that a row is about; 0 where it does not tell. Raises RowError for broken JSON."""
    found: object = {}
    if details:
        try:
            found = json.loads(details)
        except (ValueError, RecursionError):
            raise RowError("SkuPriceDetails is not JSON.") from None
    if not isinstance(found, dict):
        raise RowError("SkuPriceDetails is not a JSON object.")
    count = found.get("GpuCount", found.get("x_GpuCount"))
    if isinstance(count, int | float) and 0 < count <= 64:
        return int(count)
    if isinstance(count, str) and count.isascii() and count.isdigit() and 0 < int(count[:3]) <= 64:
        return int(count[:3])
    name = str(found.get("InstanceType", found.get("x_InstanceType", "")) or resource).casefold()
    if name in _INSTANCES:
        return _INSTANCES[name]
    match = _COUNTED.search(name) if "gpu" in name else None
    return int(next(part for part in match.groups() if part)) if match else 0
