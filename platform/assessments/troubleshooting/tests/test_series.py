"""Lines of a panel by their labels, and a band of nothing."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from assessments.troubleshooting.metrics_series import History, _keys


def _series(host: str, gpu: str) -> Any:
    return SimpleNamespace(host=host, labels=(("gpu", gpu),))


def test_lines_are_told_apart_by_the_labels_that_a_part_names() -> None:
    rows = [_series("n1", "0"), _series("n2", "0"), _series("n1", "1")]

    def keys(*by: str) -> list[tuple[dict[str, str], list[int]]]:
        return [(dict(key), at) for key, at in _keys(rows, cast(Any, SimpleNamespace(by=by)))]

    assert keys("node") == [({"node": "n1"}, [0, 2]), ({"node": "n2"}, [1])]
    assert keys("gpu") == [({"gpu": "0"}, [0, 1]), ({"gpu": "1"}, [2])]
    assert keys() == [({}, [0, 1, 2])]


def test_a_band_of_no_lines_begins_where_it_was_asked_for() -> None:
    history = cast(Any, SimpleNamespace(_lines=lambda part, fixed, times: []))
    panel = cast(Any, SimpleNamespace(parts=[SimpleNamespace(label="")], fixed={}))
    found = History.spread(history, panel, {}, (1_000, 4_000), 50, "auto")
    assert (found.start_ms, found.step_ms, found.lines) == (1_000, 3_001, [])
