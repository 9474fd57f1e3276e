"""Celery tasks of messages: send what waits, remind whose window closes, put digests together."""

from __future__ import annotations

import os
import socket

from celery import shared_task
from django.utils import timezone

from hiring.messages import delivery, digests, to_candidates


@shared_task
def send_messages() -> None:
    delivery.send_due(f"{socket.gethostname()}:{os.getpid()}", timezone.now)


@shared_task
def remind_candidates() -> None:
    to_candidates.remind_all(now=timezone.now())


@shared_task
def write_digests() -> None:
    digests.write_all(now=timezone.now())
