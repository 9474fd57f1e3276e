"""Quotas as Kueue keeps them: a tree of cohorts and queues, and who must leave for whom."""

from __future__ import annotations
