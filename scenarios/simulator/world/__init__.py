"""What happens around a cluster: nodes come, fail, are reclaimed and cost money."""

from __future__ import annotations
