"""Print docs/permissions.md: who may see and do what."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.management.base import BaseCommand

from headnode.permission_table import document, kinds_of_records
from headnode.permissions import addresses


class Command(BaseCommand):
    help = "Print the permission table of all roles as Markdown (docs/permissions.md)."

    def handle(self, *args: Any, **options: Any) -> None:
        labels = [model._meta.label_lower for model in admin.site._registry]
        models = {label.replace(".", "_"): label for label in labels}
        self.stdout.write(document(addresses(models), kinds_of_records()), ending="")
