"""Rows of a live cluster: how it began, what is kept of it, and how its queue has moved."""

from __future__ import annotations

from django.db import models


class LiveCluster(models.Model):
    """An attempt's cluster, from when it was there for the first time.

    `begun` is `graders.live_slurm.course.Begun`, `first` its jobs at that moment.
    """

    attempt = models.OneToOneField(
        "assessments.Attempt", models.CASCADE, related_name="live_cluster"
    )
    begun = models.JSONField()
    first = models.JSONField(default=list)
    began_at = models.DateTimeField()
    ready_at = models.DateTimeField(help_text="When it was last there, after a start or a return.")
    came_back = models.PositiveIntegerField(
        default=0, help_text="How often it was brought back: what ran began again each time."
    )
    wanted_at = models.DateTimeField(null=True, help_text="When it was last to be kept at once.")
    shells = models.PositiveIntegerField(default=0, help_text="New shells that were asked for.")
    view = models.JSONField(default=dict, help_text="Its nodes and jobs as they were seen last.")
    viewed_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"Cluster of {self.began_at:%Y-%m-%d %H:%M:%S}"


class KeptCluster(models.Model):
    """The cluster's files as one text, and its jobs at that moment; the newest of each round stays."""

    cluster = models.ForeignKey(LiveCluster, models.CASCADE, related_name="kept")
    round = models.PositiveSmallIntegerField()
    at = models.DateTimeField()
    files = models.TextField()
    seen = models.JSONField()
    came_back = models.PositiveIntegerField(default=0)
    is_final = models.BooleanField(default=False, help_text="When its host let it go.")

    goes_with_the_name = True
    """Packed files of the candidate's, in which nobody could look for the name."""

    class Meta:
        ordering = ["at", "pk"]
        indexes = [models.Index(fields=["cluster", "round", "at"], name="kept_clusters_at")]

    def __str__(self) -> str:
        return f"Kept at {self.at:%Y-%m-%d %H:%M:%S}"


class ClusterLook(models.Model):
    """How many jobs ran and waited at an instant, where that had changed."""

    cluster = models.ForeignKey(LiveCluster, models.CASCADE, related_name="looks")
    at = models.DateTimeField()
    running = models.PositiveIntegerField()
    waiting = models.PositiveIntegerField()
    gpus = models.PositiveIntegerField()
    up = models.PositiveSmallIntegerField(help_text="Nodes that take jobs.")

    class Meta:
        ordering = ["at", "pk"]
        indexes = [models.Index(fields=["cluster", "at"], name="cluster_looks_at")]

    def __str__(self) -> str:
        return f"{self.running} run, {self.waiting} wait"
