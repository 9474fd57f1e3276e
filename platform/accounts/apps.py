from __future__ import annotations

from django.apps import AppConfig, apps
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.db.models.signals import post_migrate
from django.urls import register_converter


class AccountsConfig(AppConfig):
    name = "accounts"
    verbose_name = "Staff"

    def ready(self) -> None:
        from accounts import second_step, sign_in, trail
        from accounts.roles import check_settings, sync_roles
        from accounts.row_numbers import RowConverter

        check_settings()
        # Permissions come into being app by app; only after the last one do all of them exist.
        register_converter(RowConverter, "row")
        user_logged_in.connect(sign_in.forget_failures)
        user_logged_in.connect(second_step.ask_who_has_one)
        user_logged_in.connect(trail.signed_in)
        user_logged_out.connect(trail.signed_out)
        user_login_failed.connect(trail.failed)
        post_migrate.connect(sync_roles, sender=apps.get_app_config("sessions"))
