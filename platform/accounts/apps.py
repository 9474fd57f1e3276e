from __future__ import annotations

from django.apps import AppConfig, apps
from django.db.models.signals import post_migrate


class AccountsConfig(AppConfig):
    name = "accounts"
    verbose_name = "Staff"

    def ready(self) -> None:
        from accounts.roles import sync_roles

        # Permissions come into being app by app; only after the last one do all of them exist.
        post_migrate.connect(sync_roles, sender=apps.get_app_config("sessions"))
