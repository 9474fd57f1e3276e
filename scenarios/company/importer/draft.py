"""A profile that is being fitted: its tables, where each came from, and what is missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from scenarios.company.profile import Profile, complete, parse_profile, read_profile, to_toml
from scenarios.company.profile.tables import ARRAYS, SINGLE

_DEFAULT = "Default: the exports say nothing of this."


@dataclass(slots=True)
class Draft:
    """`data`: tables as `parse_profile` takes them. `notes`: place -> where it comes from.

    Places are those of `to_toml`. `missing` says in sentences what the exports do not tell.
    """

    data: dict[str, Any] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)

    def set(self, table: str, key: str, value: Any, note: str) -> None:
        """One key of a plain table."""
        self.data.setdefault(table, {})[key] = value
        self.notes[f"{table}.{key}"] = note

    def finished(self) -> tuple[Profile, str]:
        """(profile with every table, its TOML with comments). Raises ProfileError."""
        profile = complete(parse_profile(self.data))
        notes = dict(self.notes)
        for name in (*ARRAYS, *SINGLE, "policies"):
            inner = [place for place in notes if place == name or place.startswith(f"{name}.")]
            if not inner and name not in self.data:
                notes[_first_place(name)] = _DEFAULT
        for name, keys in self.data.items():
            if name in SINGLE and isinstance(keys, Mapping):
                self._mark(name, keys, profile, notes)
        text = to_toml(profile, notes | {"": self._head()})
        return read_profile(text), text

    @staticmethod
    def _mark(name: str, keys: Mapping[str, Any], profile: Profile, notes: dict[str, str]) -> None:
        for one in type(getattr(profile, name)).__dataclass_fields__:
            place = f"{name}.{one}"
            if one not in keys and place not in notes:
                notes[place] = "Default."

    def _head(self) -> str:
        lines = ["Fitted from exports. Figures from them say so above the figure or the table.", ""]
        lines += [f"- {source}" for source in self.sources]
        if self.missing:
            lines += ["", "What the exports do not tell, and what stands here instead:"]
            lines += [f"- {one}" for one in self.missing]
        return "\n".join([*lines, " "])


def _first_place(name: str) -> str:
    """Where a table begins in the TOML: one that has only rows begins with the first of these."""
    return {
        "storage": "storage.tiers",
        "growth": "growth.classes",
        "budget": "budget.quarters",
    }.get(name, name)
