"""What others may want to hear of the moment it happens. Receivers run in its transaction."""

from __future__ import annotations

from django.dispatch import Signal

asked_to_score = Signal()
"""Somebody was put on a panel. sender: Assignment; assignment, now."""
decided = Signal()
"""A decision was recorded. sender: Decision; decision, now."""
card_in = Signal()
"""A scorecard was submitted. sender: Evaluation; evaluation, now."""
