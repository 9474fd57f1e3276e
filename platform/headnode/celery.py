"""The Celery application: tasks carry the id of a database row and nothing else."""

from __future__ import annotations

import os

from celery import Celery
from kombu.transport import TRANSPORT_ALIASES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "headnode.settings")
TRANSPORT_ALIASES["headnode-files"] = "headnode.file_broker:Transport"

app = Celery("headnode")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
