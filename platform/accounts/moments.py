"""Points in time as the staff's pages show them: UTC in the text, the reader's own zone by script."""

from __future__ import annotations

from datetime import datetime

from django.utils.formats import date_format
from django.utils.html import format_html


def moment(at: datetime | None, otherwise: str = "–") -> str:
    """A <time> element, "20 Nov 2026, 14:02 UTC"; `otherwise` where there is none."""
    if at is None:
        return otherwise
    text = date_format(at, "j M Y, H:i")
    return format_html('<time datetime="{}" data-moment>{} UTC</time>', at.isoformat(), text)
