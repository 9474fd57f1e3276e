"""Writes the materials of one bill to a folder, and tells its key and its words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from scenarios.company.profile import Profile
from scenarios.company.profile.money import names_in_currency
from scenarios.company.regions import around
from scenarios.cost import focus
from scenarios.cost.charging import usd
from scenarios.cost.documents import documents
from scenarios.cost.draw import MOST_GPUS as MOST_GPUS
from scenarios.cost.draw import READING_ARCHIVE, Scene, in_units
from scenarios.cost.focus_columns import COLUMNS, DECIMALS, INSTANTS
from scenarios.cost.key import key_of
from scenarios.cost.ledger import Bill, bill_of
from scenarios.cost.levels import LEVELS as SETTINGS
from scenarios.cost.model import model_of
from scenarios.cost.outcome import Cells, Table
from scenarios.cost.parquet import DECIMAL, INSTANT, TEXT, parquet
from scenarios.cost.serving import FULL, FULL_REQUESTS, LOAD_TEST
from scenarios.packs.generated import Written

LEVELS = tuple(SETTINGS)
FACTS = "bill"
WORDS = (
    "cluster",
    "gpus",
    "gpu",
    "year",
    "total",
    "rows",
    "from",
    "until",
    "today",
    "home",
    "away",
)


def write(folder: Path, profile: Profile, level: str, seed: int) -> list[Written]:
    """Write the cost rows as CSV and Parquet, the tables and the documents."""
    bill = bill_of(profile, level, seed)
    currency = bill.scene.profile.currency
    rows = list(focus.table(bill.rows, currency))
    found = [
        _put(
            folder, "costs/focus.csv", "csv", "Cost rows (FOCUS 1.2)", _csv(COLUMNS, rows).encode()
        )
    ]
    kinds = [
        DECIMAL if name in DECIMALS else INSTANT if name in INSTANTS else TEXT for name in COLUMNS
    ]
    found.append(
        _put(
            folder,
            "costs/focus.parquet",
            "parquet",
            "Cost rows (Parquet)",
            parquet(COLUMNS, kinds, rows),
        )
    )
    for path, table in {**bill.tables, **_further(bill.scene)}.items():
        mark = "|" if path.endswith("sacct.csv") else ","
        head = [names_in_currency(one, currency) for one in table.head]
        found.append(_put(folder, path, "csv", table.title, _csv(head, table.rows, mark).encode()))
    for path, title, text in documents(bill.scene, model_of(profile, level, seed).least):
        said = names_in_currency(text, currency)
        found.append(_put(folder, path, "markdown", title, said.encode()))
    return found


def _put(folder: Path, path: str, kind: str, title: str, body: bytes) -> Written:
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(body)
    return Written(path, kind, title)


def _csv(head: Sequence[str], rows: Sequence[Cells], mark: str = ",") -> str:
    def cell(value: str | int) -> str:
        text = f"{value}"
        return f'"{text.replace(chr(34), chr(34) * 2)}"' if special(text) else text

    special, known = re.compile(f'[{mark}"\n\r]').search, _Cells(cell)
    of = known.__getitem__
    return "\n".join([mark.join(map(of, row)) for row in (head, *rows)]) + "\n"


class _Cells(dict[str | int, str]):
    """Cells as CSV has them: most stand in a table thousands of times."""

    def __init__(self, cell: Callable[[str | int], str]) -> None:
        super().__init__()
        self._cell = cell

    def __missing__(self, value: str | int) -> str:
        found = self[value] = self._cell(value)
        return found


def _further(scene: Scene) -> dict[str, Table]:
    return {"costs/price-book.csv": _prices(scene), "usage/load-test.csv": _load_test(scene)}


def _prices(scene: Scene) -> Table:
    book, prices = scene.profile.price_book, scene.prices
    rows: list[Cells] = [
        (f"GPU-hour, {scene.profile.gpu}, on demand", usd(prices.on_demand)),
        (f"GPU-hour, {scene.profile.gpu}, committed for a year", usd(prices.reserved)),
        (f"GPU-hour, {scene.profile.gpu}, spot", usd(prices.spot)),
        ("GPU-hour, small GPU with 24 GB, on demand", usd(prices.small_gpu)),
        ("Volume, TB and day", usd(prices.volume)),
        ("Snapshot, TB and day", usd(prices.snapshot)),
        ("Objects, class hot, TB and day", usd(prices.hot)),
        ("Objects, class cool, TB and day", usd(prices.cool)),
        ("Objects, class archive, TB and day", usd(prices.archive)),
        ("Reading from cool, TB", usd(in_units(1_000, scene.profile.per_usd))),
        ("Reading from archive, TB", usd(in_units(READING_ARCHIVE, scene.profile.per_usd))),
        ("Transfer out, TB", usd(prices.egress)),
        ("Address translation, TB", usd(prices.nat)),
        ("Transfer between zones, TB", usd(prices.zones)),
        ("Address without use, day", usd(prices.address)),
        ("Colocation, kW and month", usd(prices.kw_month)),
        ("Electricity, kWh", usd(prices.kwh)),
        ("AI software suite, GPU and month", usd(prices.licence_month)),
        ("Engineer, year", usd(round(book.engineer_year * 100))),
    ]
    return Table(f"Price book of {book.dated}", ("what", "usd"), rows)


def _load_test(scene: Scene) -> Table:
    rows: list[Cells] = [
        (percent, round(FULL_REQUESTS * percent / FULL), late) for percent, late in LOAD_TEST
    ]
    return Table(
        "Load test of serving", ("gpu_util_percent", "requests_per_s_and_instance", "p95_ms"), rows
    )


def key(profile: Profile, level: str, seed: int) -> dict[str, object]:
    """Staff only: every lever's and trap's worth in this bill, as JSON holds it."""
    return key_of(model_of(profile, level, seed))


def words(profile: Profile, level: str, seed: int) -> dict[str, str]:
    """What the brief may say of this bill."""
    bill = bill_of(profile, level, seed)
    return dict(zip(WORDS, _words(bill), strict=True))


def _words(bill: Bill) -> Iterator[str]:
    scene = bill.scene
    yield scene.profile.cluster
    yield str(scene.gpus)
    yield scene.profile.gpu
    yield f"{scene.months[0].start:%B %Y} to {scene.months[-1].start:%B %Y}"
    yield f"{round(bill.total / 100):,}"
    yield f"{len(bill.rows):,}"
    yield f"{scene.months[0].start}"
    yield f"{scene.months[-1].end}"
    yield f"{scene.today}"
    regions = around(scene.profile.first_region)
    yield regions.home.key
    yield regions.away.key


def facts(profile: Profile, level: str, seed: int) -> dict[str, object]:
    """What the candidate's page may know: months, total, and which tables there are to ask."""
    bill = bill_of(profile, level, seed)
    paths = ["costs/focus.csv", *bill.tables, *_further(bill.scene)]
    return {
        "currency": bill.scene.profile.currency,
        "months": [month.name for month in bill.scene.months],
        "total_usd": usd(bill.total),
        "rows": len(bill.rows),
        "cluster": bill.scene.profile.cluster,
        "tables": sorted(paths),
        "services": sorted({row.sku.service for row in bill.rows}),
        "accounts": sorted({row.account.name for row in bill.rows if row.account}),
    }
