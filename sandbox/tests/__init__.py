"""What the sandbox has to hold, shown on every backend."""

from __future__ import annotations
