from __future__ import annotations

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class AccountsConfig(AppConfig):
    name = "accounts"
    verbose_name = "Staff"

    def ready(self) -> None:
        from accounts.roles import sync_roles

        post_migrate.connect(sync_roles, sender=self)
