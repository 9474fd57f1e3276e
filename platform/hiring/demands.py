"""What an opening asks of a candidate in all: minutes, sittings, and what speaks against it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from hiring.exercise_form import usual
from hiring.models import LEAST_HIDDEN, Exercise, Mode, Opening
from hiring.policies import battery_warning, weight_warning
from library.models import Seniority
from library.packs import pack_of
from scenarios.packs import PackNotFound

MOST_FORMS = 50
MAX_DIGITS = 4
NO_EXERCISE = "No exercise is chosen yet: candidates can be invited once there is one."


@dataclass(frozen=True)
class Part:
    """One exercise as it is being made: minutes of work and of revision."""

    title: str
    level: str
    mode: str
    work: int
    revision: int

    @property
    def is_take_home(self) -> bool:
        return self.mode == Mode.TAKE_HOME

    @property
    def mode_label(self) -> str:
        return str(Mode(self.mode).label)


@dataclass(frozen=True)
class Demand:
    """All of an opening's exercises together."""

    parts: Sequence[Part]
    warnings: Sequence[str]

    @property
    def work(self) -> int:
        return sum(part.work for part in self.parts)

    @property
    def revision(self) -> int:
        return sum(part.revision for part in self.parts)

    @property
    def minutes(self) -> int:
        return self.work + self.revision

    @property
    def hours(self) -> str:
        """ "2 h 45 min"."""
        hours, minutes = divmod(self.minutes, 60)
        return " ".join(
            [*([f"{hours} h"] if hours else []), *([f"{minutes} min"] if minutes else [])]
        )

    @property
    def sittings(self) -> int:
        """A take-home exercise and its revision are a sitting each; what is on site or live is one."""
        take_home = sum(part.is_take_home for part in self.parts)
        return 2 * take_home + (1 if take_home < len(self.parts) else 0)


def demand_of(parts: Iterable[Part], weight: int) -> Demand:
    """The parts with the sentences about them. weight: per cent of the work samples."""
    found = list(parts)
    together = [part.work + part.revision for part in found if not part.is_take_home]
    said = [
        "" if found else NO_EXERCISE,
        weight_warning(weight),
        battery_warning(together, take_home=False),
        *alike(found),
    ]
    return Demand(found, [sentence for sentence in said if sentence])


def alike(parts: Sequence[Part]) -> list[str]:
    """A sentence for each exercise that is there more than once."""
    titles = [part.title for part in parts]
    return [
        f"“{title}” is there {titles.count(title)} times: a candidate who did it once knows it."
        for title in dict.fromkeys(titles)
        if titles.count(title) > 1
    ]


def of_opening(opening: Opening) -> Demand:
    """As it was saved."""
    return demand_of(map(_of_row, opening.exercises.all()), opening.work_sample_weight)


def _of_row(row: Exercise) -> Part:
    title = str(row)
    with suppress(PackNotFound):
        title = pack_of(row.pack_name).title
    level = str(row.get_level_display())
    return Part(title, level, row.mode, row.limit_minutes, row.revision_minutes)


@dataclass(frozen=True)
class Usual:
    """What a form's empty fields stand for."""

    work: int
    revision: int
    hidden: int
    levels: list[str]


def asked_for(
    data: Mapping[str, str], saved: Mapping[str, Exercise], prefix: str = "exercises"
) -> tuple[Demand, dict[str, Usual]]:
    """What a form holds that is being filled in: (demand, form's prefix -> what is usual).

    saved: rows by their keys as text, for what stays as it is and is therefore not sent. Forms to be
    deleted and without an exercise count nothing; what cannot be a number counts as empty.
    """
    parts, known = [], {}
    for index in range(min(_number(data.get(f"{prefix}-TOTAL_FORMS")) or 0, MOST_FORMS)):
        own = {
            key.removeprefix(f"{prefix}-{index}-"): value
            for key, value in data.items()
            if key.startswith(f"{prefix}-{index}-")
        }
        if own.get("DELETE"):
            continue
        if row := saved.get(own.get("id", "")) if not own.get("pack_name") else None:
            parts.append(_of_row(row))
        elif found := _of_form(own, data.get("level", "")):
            part, known[f"{prefix}-{index}"] = found
            parts.append(part)
    weight = _number(data.get("work_sample_weight"))
    return demand_of(parts, 50 if weight is None else weight), known


def _of_form(own: Mapping[str, str], opening_level: str) -> tuple[Part, Usual] | None:
    """One exercise's fields; None where none is chosen."""
    try:
        pack = pack_of(own.get("pack_name", ""))
    except PackNotFound:
        return None
    level, mode = own.get("level") or opening_level, own.get("mode", "")
    mode = mode if mode in Mode.values else str(Mode.TAKE_HOME)
    work, revision = usual(pack, level, take_home=mode == Mode.TAKE_HOME)
    table = pack.level(level) if level in pack.levels else {}
    part = Part(
        title=pack.title,
        level=str(Seniority(level).label) if level in Seniority.values else "",
        mode=mode,
        work=_number(own.get("limit_minutes")) or work,
        revision=_number(own.get("revision_minutes")) or revision,
    )
    return part, Usual(work, revision, int(table.get("hidden", LEAST_HIDDEN)), pack.levels)


def _number(text: str | None) -> int | None:
    """Of a field that holds a whole number."""
    said = (text or "").strip()
    return int(said) if said.isascii() and said.isdigit() and len(said) <= MAX_DIGITS else None
