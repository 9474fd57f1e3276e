"""The project: settings, addresses, tasks, the pages' base and the site's own checks."""

from __future__ import annotations

from headnode.celery import app as celery_app

__all__ = ["celery_app"]
