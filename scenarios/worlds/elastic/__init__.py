"""A cluster whose node pools grow and shrink under a controller's hand."""

from __future__ import annotations
