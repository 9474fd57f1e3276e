"""The plan of a live interview: what is to be asked, in order, from a set or about the candidate's answer."""

from __future__ import annotations

from django.db import models

from assessments.models import Attempt, Sitting
from library.models import Question


class TalkQuestion(models.Model):
    """One question of a talk's plan: of the bank, or about an answer with its place and expectation."""

    sitting = models.ForeignKey(Sitting, models.CASCADE, related_name="questions")
    position = models.PositiveSmallIntegerField()
    minutes = models.PositiveSmallIntegerField()
    question = models.ForeignKey(
        Question, models.PROTECT, null=True, blank=True, related_name="+", help_text="Of the bank."
    )
    attempt = models.ForeignKey(
        Attempt, models.CASCADE, null=True, blank=True, related_name="+", help_text="Whose answer."
    )
    source = models.CharField(max_length=100, blank=True)
    text = models.TextField(blank=True)
    place = models.TextField(blank=True)
    expected = models.JSONField(default=list, blank=True)

    class Meta:
        verbose_name = "planned question"
        ordering = ["position", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["sitting", "question"], name="in_a_talk_once"),
            models.CheckConstraint(
                condition=models.Q(question__isnull=False, text="")
                | (models.Q(question=None, attempt__isnull=False) & ~models.Q(text="")),
                name="talk_question_is_of_bank_or_of_answer",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.position}. {self.question or self.text[:60]}"
