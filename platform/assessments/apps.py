from __future__ import annotations

from django.apps import AppConfig


class AssessmentsConfig(AppConfig):
    name = "assessments"
    verbose_name = "Assessments"

    def ready(self) -> None:
        from assessments.own_work import listening

        listening.listen()
