"""The exercises and the world they happen in; knows neither graders nor the web site."""

from __future__ import annotations
