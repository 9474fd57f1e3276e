"""What an assistant alone was measured to reach, by pack and level: kept rows, and the line that they make.

`graders/baselines/PACK.json` (a slash in the pack's name is a dash) holds {"pack", "rows"}; rows are only
added. Transcripts and answers of what the command played lie beside it in a folder of the same name.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from scenarios.packs import load_pack

FOLDER = Path(__file__).resolve().parents[1] / "baselines"


@dataclass(frozen=True, slots=True)
class Row:
    """One answer of an assistant alone. seed, minutes, tokens: None where nobody wrote them down.

    `measures`: key -> score between the anchors, not clipped; empty where only the total was kept. `measured`
    is a date, `how` one sentence; `record` names the file with transcript and answer, "" where there is none.
    """

    level: str
    score: float | None
    version: str
    measured: str
    how: str
    seed: int | None = None
    model: str = ""
    minutes: float | None = None
    tokens: int | None = None
    measures: Mapping[str, float] = field(default_factory=dict)
    record: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """Where an assistant alone stands at one level: `n` answers, of which `low` and `high` are the ends.

    `first` and `last` are dates; `measures`: key -> mean score of the answers that have it.
    """

    n: int
    mean: float
    low: float
    high: float
    first: str
    last: str
    measures: Mapping[str, float]

    @property
    def when(self) -> str:
        """Its date, or from and to."""
        return self.last if self.first == self.last else f"{self.first} to {self.last}"


def path_of(pack: str, folder: Path = FOLDER) -> Path:
    """The file of the pack's rows."""
    return folder / f"{pack.replace('/', '-')}.json"


def rows_of(pack: str, folder: Path = FOLDER) -> list[Row]:
    """Every kept row of the pack, as it was added. Raises ValueError for a file that is none."""
    path = path_of(pack, folder)
    if not path.is_file():
        return []
    try:
        return [Row(**row) for row in json.loads(path.read_text(encoding="utf-8"))["rows"]]
    except (ValueError, LookupError, TypeError) as error:
        raise ValueError(f"{path} holds no baselines: {error}.") from None


def add(pack: str, row: Row, record: Mapping[str, Any] | None, folder: Path = FOLDER) -> Row:
    """Keep a row, with what was said and answered in a file of its own; the row as it was kept."""
    rows = rows_of(pack, folder)
    path = path_of(pack, folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    if record is not None:
        name = f"{path.stem}/{row.level}-{row.seed}-{len(rows) + 1}.json"
        row = Row(**{**asdict(row), "record": name})
        (folder / name).parent.mkdir(exist_ok=True)
        _write(folder / name, record)
    _write(path, {"pack": pack, "rows": [asdict(one) for one in [*rows, row]]})
    _line.cache_clear()
    return row


def _write(path: Path, data: Mapping[str, Any]) -> None:
    text = json.dumps(data, indent=1, ensure_ascii=False) + "\n"
    path.write_text(text, encoding="utf-8", newline="\n")


def line_of(pack: str, level: str) -> Line | None:
    """Where an assistant alone stands at the pack as it is now. Raises PackNotFound.

    None where nobody has measured this version: what was reached at an earlier one says nothing about it.
    """
    return _line(pack, level, True)


def earlier_line(pack: str, level: str) -> Line | None:
    """What was reached at earlier versions of the pack, for its authors. Raises PackNotFound."""
    return _line(pack, level, False)


@cache
def _line(pack: str, level: str, is_of_now: bool) -> Line | None:
    version = load_pack(pack).version
    rows = [row for row in rows_of(pack) if row.level == level and row.score is not None]
    return line_from([row for row in rows if (row.version == version) is is_of_now])


def line_from(rows: Sequence[Row]) -> Line | None:
    """The line of the rows that have a score, if there are any."""
    scores = [row.score for row in rows if row.score is not None]
    if not scores:
        return None
    keys = dict.fromkeys(key for row in rows for key in row.measures)
    dates = sorted(row.measured for row in rows)
    return Line(
        n=len(scores),
        mean=statistics.fmean(scores),
        low=min(scores),
        high=max(scores),
        first=dates[0],
        last=dates[-1],
        measures={
            key: statistics.fmean(row.measures[key] for row in rows if key in row.measures)
            for key in keys
        },
    )
