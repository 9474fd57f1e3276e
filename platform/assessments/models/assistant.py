"""What a candidate asked the assistant that the company provides, and what it answered."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q

from assessments.models.attempts import Attempt


class AssistantTurn(models.Model):
    """One question and its answer, which grows while it comes. `id` is chosen by the page that asks.

    Tokens are the endpoint's own count, else counted by us from the length; `problem` says why an answer is
    not there or not whole.
    """

    class Problem(models.TextChoices):
        NONE = "", "None"
        UNREACHABLE = "unreachable", "The address did not answer"
        REFUSED = "refused", "The address refused"
        BUSY = "busy", "The address took no more questions"
        RUBBISH = "rubbish", "What came was no answer"
        SLOW = "slow", "It took too long"
        CUT = "cut", "The answer broke off"
        LONG = "long", "The answer was longer than is taken"
        STOPPED = "stopped", "Stopped by the candidate"
        LOST = "lost", "Our server stopped meanwhile"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    attempt = models.ForeignKey(Attempt, models.CASCADE, related_name="assistant_turns")
    round = models.PositiveSmallIntegerField()
    question = models.TextField()
    asked_at = models.DateTimeField()
    answer = models.TextField(blank=True)
    model = models.CharField(max_length=200, blank=True)
    heard_at = models.DateTimeField(help_text="When the process that asks last wrote.")
    ended_at = models.DateTimeField(null=True, blank=True)
    problem = models.CharField(max_length=12, choices=Problem, blank=True, default="")
    tokens_in = models.PositiveIntegerField(
        default=0, help_text="The question, with what was said before."
    )
    tokens_out = models.PositiveIntegerField(default=0, help_text="The answer.")
    is_counted = models.BooleanField(
        default=False, help_text="Tokens as the endpoint counted them."
    )

    class Meta:
        verbose_name = "question to the assistant"
        verbose_name_plural = "questions to the assistant"
        ordering = ["asked_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["attempt"],
                condition=Q(ended_at=None),
                name="one_assistant_answer_at_a_time",
            )
        ]

    def __str__(self) -> str:
        return f"Question to the assistant by {self.attempt.invitation.candidate.pseudonym}"

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out
