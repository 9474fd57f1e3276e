"""Where a gang lies: leaf switches, rails and NUMA domains."""

from __future__ import annotations
