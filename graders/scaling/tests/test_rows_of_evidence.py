"""What is found twice of the same rows can be told apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from graders.scaling.reading import _plain


@dataclass(frozen=True)
class _Found:
    id: str

    def plain(self, _: Any) -> dict[str, Any]:
        return {"id": self.id}


def test_the_second_finding_of_the_same_rows_has_a_number_and_the_first_has_none() -> None:
    found = cast(Any, [_Found("late:1"), _Found("late:2"), _Found("late:1"), _Found("late:1")])
    ids = [row["id"] for row in _plain(cast(Any, None), found)]
    assert ids == ["late:1", "late:2", "late:1/2", "late:1/3"]
