from __future__ import annotations

from django.apps import AppConfig


class HeadnodeConfig(AppConfig):
    name = "headnode"
    verbose_name = "Headnode"
