"""A company profile as a form: every table in fields with words and units, and back again.

A field's name is `table-key`, or `table-row-key` in a table with rows; `rows-table` says how many rows
there are. What is typed is kept as it was typed until all of it is right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from library.company_words import PARTS, Part
from scenarios.company.profile import GPU_MODELS, Profile, ProfileError, complete, parse_profile
from scenarios.company.profile.basics import MONEY, MOST
from scenarios.company.profile.columns import REQUIRED, Column, plain
from scenarios.company.profile.money import DOLLAR, in_currency

MOST_POLICIES = 40
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")


@dataclass(slots=True)
class Field:
    """One field as the page shows it."""

    name: str
    column: Column
    value: str
    error: str = ""
    unit: str = ""

    @property
    def id(self) -> str:
        return "f-" + self.name.replace(".", "_")

    @property
    def options(self) -> list[tuple[str, str]]:
        return [(one, one.replace("_", "-")) for one in self.column.choices]

    @property
    def mode(self) -> str:
        """What keyboard a telephone shows."""
        return {"whole": "numeric", "number": "decimal"}.get(self.column.kind, "text")


@dataclass(slots=True)
class Row:
    number: int
    fields: list[Field]


@dataclass(slots=True)
class Shown:
    """One part of the page: single fields, rows, or both."""

    part: Part
    fields: list[Field] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)

    @property
    def has_error(self) -> bool:
        return any(one.error for one in [*self.fields, *(f for r in self.rows for f in r.fields)])


@dataclass(slots=True)
class CompanyForm:
    """What was typed, by field name, and how many rows each table with rows has."""

    values: dict[str, str]
    counts: dict[str, int]
    errors: dict[str, str] = field(default_factory=dict)
    problem: str = ""

    def shown(self) -> list[Shown]:
        """All parts of the page in order."""
        return [self._shown(part) for part in PARTS]

    def _shown(self, part: Part) -> Shown:
        found = Shown(part, [self._field(f"{part.table}-{c.key}", c) for c in part.columns])
        for number in range(self.counts.get(part.key, 0) if part.row_columns else 0):
            names = [(f"{part.key}-{number}-{c.key}", c) for c in part.row_columns]
            found.rows.append(Row(number + 1, [self._field(name, c) for name, c in names]))
        return found

    def _field(self, name: str, column: Column) -> Field:
        if column.key in ("gpu", "gpu_model"):
            column = replace(column, choices=(*column.choices, *self._own_models()))
        unit = in_currency(column.unit, self.values.get("prices-currency") or DOLLAR)
        return Field(name, column, self.values.get(name, ""), self.errors.get(name, ""), unit)

    def _own_models(self) -> list[str]:
        rows = range(self.counts.get("accelerators", 0))
        names = [self.values.get(f"accelerators-{row}-name", "").strip() for row in rows]
        return [name for name in dict.fromkeys(names) if name]

    def faulty(self) -> list[tuple[Field, str]]:
        """Fields with an error, and the title of their part, for the list above the form."""
        found = []
        for shown in self.shown():
            fields = [(one, shown.part.title) for one in shown.fields]
            for row in shown.rows:
                title = f"{shown.part.title}, {shown.part.row_word} {row.number}"
                fields += [(one, title) for one in row.fields]
            found += [(one, title) for one, title in fields if one.error]
        return found

    def add_row(self, key: str) -> None:
        """One more row, filled like the last where the part says so."""
        for part in PARTS:
            if part.key == key and part.row_columns and self.counts.get(key, 0) < part.most:
                number = self.counts.get(key, 0)
                for column in part.row_columns:
                    usual = column.default
                    text = "" if usual is REQUIRED else _text(usual)
                    self.values[f"{key}-{number}-{column.key}"] = text
                self.counts[key] = number + 1

    def remove_row(self, key: str, number: int) -> None:
        """Take row `number` (from 1) out; the rows below move up."""
        count = self.counts.get(key, 0)
        if not 1 <= number <= count:
            return
        for part in PARTS:
            if part.key == key:
                for column in part.row_columns:
                    for place in range(number - 1, count - 1):
                        below = self.values.pop(f"{key}-{place + 1}-{column.key}", "")
                        self.values[f"{key}-{place}-{column.key}"] = below
                self.counts[key] = count - 1

    def profile(self) -> Profile | None:
        """The profile that the form says, or None with `errors` or `problem` set."""
        data = self._data()
        if self.errors:
            return None
        try:
            return complete(parse_profile(data))
        except ProfileError as error:
            self.problem = in_words(str(error))
            return None

    def _data(self) -> dict[str, Any]:
        """Tables as `parse_profile` takes them; fields that are wrong are noted and left out."""
        data: dict[str, Any] = {}
        for shown in self.shown():
            table, _, inner = shown.part.key.partition(".")
            if shown.part.key == "policies":
                data["policies"] = self._policies(shown.rows)
                continue
            if shown.fields:
                data.setdefault(shown.part.table, {}).update(self._checked(shown.fields))
            if shown.part.row_columns:
                rows = [self._checked(row.fields) for row in shown.rows]
                if inner:
                    data.setdefault(table, {})[inner] = rows
                else:
                    data[table] = rows
        return data

    def _checked(self, fields: list[Field]) -> dict[str, Any]:
        found = {}
        for one in fields:
            text = one.value.strip()
            if not text and one.column.key in _OPTIONAL.get(one.name.split("-")[0], ()):
                continue
            try:
                found[one.column.key] = self._one(one.column, text)
            except ProfileError as error:
                self.errors[one.name] = str(error)
        return found

    @staticmethod
    def _one(column: Column, text: str) -> Any:
        label = f"“{column.label}”"
        if not text and not (column.kind == "text" and column.low == 0):
            raise ProfileError(f"{label} is empty.")
        if column.kind not in ("whole", "number"):
            return column.checked(text, label)
        bare = re.sub(r"[\s\u00a0\u202f](?=\d{3}(?!\d))", "", text)
        whole = column.kind == "whole"
        try:
            value = int(bare) if whole else float(bare)
        except ValueError:
            what = "a whole number" if whole else "a number, with a point before decimals"
            raise ProfileError(f"{label} must be {what}.") from None
        return column.checked(value, label)

    def _policies(self, rows: list[Row]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for row in rows:
            name, value = row.fields
            key = "_".join(name.value.lower().replace("-", " ").split())
            if not key and not value.value.strip():
                continue
            if not re.fullmatch(r"[a-z][a-z0-9_]{0,39}", key):
                self.errors[name.name] = "Write a name of letters, digits and spaces."
            elif key in found:
                self.errors[name.name] = "There is a policy of that name already."
            else:
                found[key] = _policy(value.value.strip())
        return found


_OPTIONAL = {
    "cluster": ("nodes", "gpus_per_node", "gpu_model"),
    "prices": ("currency", "per_usd"),
}
"""Fields that may stay empty: they follow from the node types, or are usual."""


def _policy(text: str) -> str | int | float | bool:
    if text.casefold() in ("yes", "no", "true", "false"):
        return text.casefold() in ("yes", "true")
    try:
        return int(text)
    except ValueError:
        pass
    return float(text) if _NUMBER.fullmatch(text) else text


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return plain(value) if isinstance(value, float) else str(value)


def from_profile(profile: Profile) -> CompanyForm:
    """The form filled with a profile."""
    values: dict[str, str] = {}
    counts: dict[str, int] = {}
    whole = complete(profile)
    for part in PARTS:
        if part.key == "policies":
            for number, (key, value) in enumerate(whole.policies.items()):
                values[f"policies-{number}-name"] = key.replace("_", " ")
                values[f"policies-{number}-value"] = _text(value)
            counts["policies"] = len(whole.policies)
            continue
        for column in part.columns:
            values[f"{part.table}-{column.key}"] = _single(whole, part.table, column)
        if part.row_columns:
            rows = _rows(whole, part.key)
            counts[part.key] = len(rows)
            for number, row in enumerate(rows):
                for column in part.row_columns:
                    values[f"{part.key}-{number}-{column.key}"] = _text(getattr(row, column.key))
    return CompanyForm(values, counts)


def _single(profile: Profile, table: str, column: Column) -> str:
    if table == "cluster":
        shown = {"name": profile.cluster}
        if profile.nodes != min(MOST, profile.fleet_nodes):
            shown["nodes"] = str(profile.nodes)
        if len(_kinds(profile)) > 1:
            shown |= {"gpus_per_node": str(profile.gpus_per_node), "gpu_model": profile.gpu}
        return shown.get(column.key, "")
    if column.key in MONEY and profile.currency == DOLLAR:
        return ""
    holder = profile if table == "prices" else getattr(profile, table)
    return _text(getattr(holder, column.key))


def _kinds(profile: Profile) -> set[tuple[str, int]]:
    """The kinds of node that exercises could show."""
    types, models = profile.node_types, {*GPU_MODELS, *profile.own_models}
    return {(one.gpu, one.gpus) for one in types if one.gpu in models and one.gpus in (4, 8)}


def _rows(profile: Profile, key: str) -> tuple[Any, ...]:
    found: Any = profile
    for name in key.split("."):
        found = getattr(found, name)
    return tuple(found)


def from_post(post: Mapping[str, str]) -> CompanyForm:
    """What a page sent; unknown names are passed over."""
    counts = {}
    for part in PARTS:
        if part.row_columns:
            text = post.get(f"rows-{part.key}", "0")[:9]
            counts[part.key] = min(int(text) if text.isascii() and text.isdigit() else 0, part.most)
    form = CompanyForm({}, counts)
    for name in _names(form):
        form.values[name] = post.get(name, "")[:300].replace("\x00", "")
    return form


def _names(form: CompanyForm) -> Iterator[str]:
    for shown in form.shown():
        yield from (one.name for one in shown.fields)
        for row in shown.rows:
            yield from (one.name for one in row.fields)


_PLACE = re.compile(r"(\w+) in \[{1,2}([\w.]+)\]{1,2}(?:, row (\d+),?)?")
_TABLE = re.compile(r"\[{1,2}([\w.]+)\]{1,2}(?:, row (\d+),?)?")


def in_words(message: str) -> str:
    """A message of the profile's checks in the words of the form instead of the file's keys."""
    labels = {
        (part.key if column in part.row_columns else part.table, column.key): column.label
        for part in PARTS
        for column in (*part.columns, *part.row_columns)
    }
    titles = {part.key: part.title for part in PARTS} | {part.table: part.title for part in PARTS}
    titles["price_book"] = titles["prices"] = "Price book"

    def table(name: str, row: str | None) -> str:
        return f"“{titles.get(name, name)}”" + (f", row {row}," if row else "")

    def place(match: re.Match[str]) -> str:
        label = labels.get((match[2], match[1]), match[1].replace("_", " "))
        return f"“{label}” under {table(match[2], match[3])}"

    said = _PLACE.sub(place, message)
    said = _TABLE.sub(lambda match: table(match[1], match[2]), said)
    return re.sub(r"\b([a-z]+)_([a-z]+)(?:_([a-z]+))?(?:_([a-z]+))?\b", _known(labels), said)


def _known(labels: Mapping[tuple[str, str], str]) -> Any:
    by_key = {key: label for (_, key), label in labels.items()}

    def word(match: re.Match[str]) -> str:
        return f"“{by_key[match[0]]}”" if match[0] in by_key else match[0].replace("_", " ")

    return word
