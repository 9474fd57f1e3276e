from __future__ import annotations

from django.apps import AppConfig


class HiringConfig(AppConfig):
    name = "hiring"
    verbose_name = "Hiring"
