"""What happens around work: the clocks by which machines break, and how far it has come."""

from __future__ import annotations
