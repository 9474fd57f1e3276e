"""Grades training programs: how fast they train on a card, and that they still compute the same."""

from __future__ import annotations
