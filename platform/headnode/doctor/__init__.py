"""Looks at a site as its operator would, and says of each thing that is wrong what puts it right."""

from __future__ import annotations
