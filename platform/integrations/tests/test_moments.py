"""Moments that narrow a list: any that ISO 8601 allows, in words where no calendar has them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django import forms

from integrations.api.filters import MomentField


def test_an_offset_that_no_database_knows_is_reckoned_in_utc() -> None:
    found = MomentField().clean("2026-03-01T03:00:00+19:05")
    assert found == datetime(2026, 2, 28, 7, 55, tzinfo=UTC)
    assert found.tzinfo is UTC


def test_a_moment_before_the_calendar_is_refused() -> None:
    with pytest.raises(forms.ValidationError, match="No calendar has this moment"):
        MomentField().clean("0001-01-01T00:00:00+14:00")
