"""A plan as staff read it: what is written long does not make the page longer than what stands there."""

from __future__ import annotations

import json

from reviews.evidence import scaling_text


def test_one_long_row_of_the_money_table_does_not_lengthen_the_others() -> None:
    sheet = [{"label": "long", "cells": [0] * 20_000}, *[{"label": "short"}] * 300]
    (table,) = scaling_text.tables(json.dumps({"sheet": sheet}))
    assert len(table.rows[0]) == 20_001
    assert {len(row) for row in table.rows[1:]} == {14}
