"""Rows of the outbox: messages, the links that went out in them, their words, and who wants them how.

Names no other model of this part by import: hiring.models imports this module.
"""

from __future__ import annotations

from datetime import datetime
from typing import Self
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now


def known_zone(name: str) -> None:
    """Refuse what is no time zone of the IANA database."""
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # not there, or no name of a file at all
        raise ValidationError(
            "Write a time zone as region and city, for example Europe/Berlin."
        ) from None


class MessageQuerySet(models.QuerySet["Message"]):
    def waiting(self) -> Self:
        """Neither sent nor refused nor handed over, and not kept for a digest."""
        return self.filter(sent_at=None, refused_at=None, handed_at=None, for_digest=False)

    def startable(self, now: datetime) -> Self:
        """Due, and in no worker's hands."""
        free = Q(lease_until=None) | Q(lease_until__lte=now)
        return self.waiting().filter(free, due_at__lte=now)

    def claim(self, pk: int, worker: str, now: datetime, until: datetime) -> bool:
        """Take the row for this worker; False where somebody else has it or it has ended."""
        rows = self.startable(now).filter(pk=pk)
        return rows.update(worker=worker, lease_until=until, tries=F("tries") + 1) == 1

    def undigested(self) -> Self:
        return self.filter(for_digest=True, carried_by=None, sent_at=None, refused_at=None)


class Message(models.Model):
    """One message to one person about one thing. Its words are kept as they went out, without the link.

    `recipient` is the member of staff it goes to; empty, it goes to the candidate whom it is about.
    """

    occasion = models.CharField(max_length=30)
    subject_key = models.CharField(
        max_length=100, help_text="What it is about: one occasion, person and key is told once."
    )
    candidate = models.ForeignKey(
        "hiring.Candidate", models.CASCADE, null=True, blank=True, related_name="messages"
    )
    recipient = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="messages"
    )
    invitation = models.ForeignKey(
        "hiring.Invitation", models.CASCADE, null=True, blank=True, related_name="messages"
    )
    opening = models.ForeignKey(
        "hiring.Opening", models.CASCADE, null=True, blank=True, related_name="messages"
    )
    queued_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    address = models.EmailField(blank=True)
    subject = models.CharField(max_length=300)
    text = models.TextField()
    calendar = models.TextField(blank=True, help_text="A calendar file, RFC 5545.")
    queued_at = models.DateTimeField()
    due_at = models.DateTimeField()
    useless_after = models.DateTimeField(null=True, blank=True)
    for_digest = models.BooleanField(default=False, db_default=False)
    carried_by = models.ForeignKey(
        "self", models.SET_NULL, null=True, blank=True, related_name="carried"
    )
    tries = models.PositiveSmallIntegerField(default=0, db_default=0)
    worker = models.CharField(max_length=100, blank=True, default="", db_default="")
    lease_until = models.DateTimeField(null=True, blank=True)
    handed_at = models.DateTimeField(
        null=True, blank=True, help_text="From here on it may have gone out: never sent again."
    )
    sent_at = models.DateTimeField(null=True, blank=True)
    refused_at = models.DateTimeField(null=True, blank=True)
    answer = models.TextField(blank=True, help_text="What the mail server said last.")

    objects = MessageQuerySet.as_manager()

    class Meta:
        ordering = ["-queued_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["occasion", "subject_key", "candidate"],
                condition=Q(recipient=None),
                name="candidate_told_once",
            ),
            models.UniqueConstraint(
                fields=["occasion", "subject_key", "recipient"], name="staff_told_once"
            ),
            models.CheckConstraint(
                condition=Q(recipient__isnull=False) | Q(candidate__isnull=False),
                name="message_goes_to_somebody",
            ),
        ]
        indexes = [
            models.Index(
                fields=["due_at"],
                name="messages_to_send",
                condition=Q(sent_at=None, refused_at=None, handed_at=None, for_digest=False),
            )
        ]

    def __str__(self) -> str:
        return f"{self.occasion} {self.pk}"

    def state(self, now: datetime) -> str:
        """queued, digest, sending, sent, refused, or uncertain: a worker died while it handed it over."""
        if self.sent_at:
            return "sent"
        if self.refused_at:
            return "refused"
        if self.for_digest:
            return "digest"
        held = self.lease_until is not None and self.lease_until > now
        if self.handed_at and not held:
            return "uncertain"
        return "sending" if held and self.worker else "queued"


class MailedLink(models.Model):
    """A link to an invitation that went out in a message; it works beside the invitation's own."""

    invitation = models.ForeignKey("hiring.Invitation", models.CASCADE, related_name="mailed_links")
    message = models.ForeignKey(Message, models.CASCADE, related_name="links")
    token_hash = models.CharField(max_length=64, unique=True)
    made_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"Link of message {self.message_id}"


class MessageWords(models.Model):
    """The words of an occasion for the organisation or one opening. Append-only: the newest row counts.

    A row without words says that the words of above count again.
    """

    occasion = models.CharField(max_length=30)
    opening = models.ForeignKey(
        "hiring.Opening", models.CASCADE, null=True, blank=True, related_name="message_words"
    )
    subject = models.CharField(max_length=200, blank=True)
    text = models.TextField(max_length=6000, blank=True)
    changed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    changed_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["-pk"]
        verbose_name_plural = "words of messages"

    def __str__(self) -> str:
        return f"{self.occasion} for {self.opening or 'the organisation'}"


class MailPreference(models.Model):
    """How a member of staff wants messages: one by one or once a day, and in which zone times are."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="mail_preference"
    )
    digest = models.BooleanField(
        "one message a day",
        default=False,
        db_default=False,
        help_text="Everything of the day in one message at seven in the morning, instead of one by one.",
    )
    time_zone = models.CharField(
        "your time zone",
        max_length=64,
        blank=True,
        default="",
        db_default="",
        validators=[known_zone],
        help_text="For example Europe/Berlin. Empty: the organisation's.",
    )
    digested_at = models.DateTimeField(null=True, blank=True, editable=False)

    def __str__(self) -> str:
        return f"How {self.user} wants messages"
