"""Who may look at a live cluster: the candidate, while they work on it."""

from __future__ import annotations

from typing import Any

from django.http import Http404
from rest_framework.request import Request

from assessments.live_slurm.workplace import KIND
from assessments.workplace.access import RoomView


class ClusterView(RoomView):
    """Needs no materials on this host: rows tell of the cluster."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        self.admit(request, *args, **kwargs)
        if self.attempt.exercise.traits.name != KIND.name:
            raise Http404
