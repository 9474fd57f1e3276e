"""Which node, and which GPUs of it: packing, topology and node counts."""

from __future__ import annotations
