"""What monitoring shows of a simulated cluster, in the formats of real exporters."""

from __future__ import annotations
