"""Who invites to a live cluster is told before that whether any host could hold one."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any, cast

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from assessments.live_slurm import hosting
from assessments.live_slurm.served import unserved
from assessments.outages import pulse
from assessments.pulses import CLUSTER
from assessments.tests.stage import NOW, Stage
from sandbox import Backend, SandboxUnavailable

pytestmark = pytest.mark.django_db
NO_HOST = "no host of this site can hold a live cluster"


@pytest.fixture
def cluster(stage: Stage) -> Stage:
    exercise = stage.exercise
    exercise.pack_name, exercise.kind = "troubleshooting/jobs-do-not-start", "live-slurm"
    exercise.save()
    return stage


def test_nobody_is_warned_of_clusters_who_asks_for_none(stage: Stage) -> None:
    assert unserved([stage.exercise], NOW) == []


def test_a_cluster_without_a_host_is_said_until_one_pulses(cluster: Stage) -> None:
    [said] = unserved([cluster.exercise], NOW)
    assert NO_HOST in said
    assert str(cluster.exercise) in said
    pulse(CLUSTER, now=NOW)
    assert unserved([cluster.exercise], NOW + timedelta(seconds=5)) == []
    assert unserved([cluster.exercise], NOW + timedelta(minutes=1)) == [said]


def test_the_page_of_an_opening_says_it_before_anybody_is_invited(cluster: Stage) -> None:
    hana = Client()
    hana.force_login(cluster.hana)
    page = reverse("admin:hiring_opening_change", args=[cluster.exercise.opening_id])
    assert NO_HOST in hana.get(page).content.decode()
    pulse(CLUSTER, now=timezone.now())
    assert NO_HOST not in hana.get(page).content.decode()


def test_a_host_that_cannot_hold_one_says_why(
    monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    def missing(state: object, name: str) -> None:
        raise SandboxUnavailable("apt-get is not here.")

    monkeypatch.setattr("assessments.live_slurm.hosting.rootfs.build", missing)
    assert hosting.trouble_here(cast(Backend, None)) == "apt-get is not here."
    monkeypatch.setattr("assessments.live_slurm.hosting.rootfs.build", lambda state, name: None)
    monkeypatch.setattr(hosting, "trouble_of", lambda backend, root: f"{root} has no network.")
    assert hosting.trouble_here(cast(Backend, None)) == "slurm has no network."


def test_a_host_is_offered_once_it_can(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[Any] = []
    monkeypatch.setattr(hosting, "keep_pulse", lambda *words: said.append(words))
    tried = iter(["not yet", ""])
    monkeypatch.setattr(hosting, "trouble_here", lambda backend: next(tried))
    monkeypatch.setattr(hosting, "RETRY_S", 0.01)
    stop = threading.Event()
    hosting.offer(cast(Backend, None), 4, stop)
    [(component, serves, places)] = said
    assert (component, places) == (CLUSTER, 4)
    for _ in range(200):
        if serves():
            break
        stop.wait(0.01)
    assert serves()
    stop.set()
    assert not serves()
