"""Company profiles as versioned rows: keep a version, read it, say which exercises take how much of it."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache

from django.db import models, transaction

from accounts.models import User
from library.models import CompanyProfile
from scenarios.company.profile import DEFAULT, Profile, complete, digest, read_profile, to_toml

DEFAULT_WORDS = "The default cluster: 20 nodes of 8 H100"

# Exercises whose story fixes the machines: what they take from a profile.
OWN_CLUSTER = {
    "automation/gpu-idle-alerts": "the name, the GPU model and the price of a GPU-hour",
    "automation/slurm-fair-partitions": "the name",
    "automation/cluster-priorities": "the name and how prices compare",
}


class ReplacedMeanwhile(ValueError):
    """Somebody else changed the profile first; the text is one sentence."""


def newest() -> models.QuerySet[CompanyProfile]:
    """The present version of each profile."""
    return CompanyProfile.objects.filter(replaced_at=None)


def profile_of(row: CompanyProfile) -> Profile:
    """What the row says."""
    return _read(row.toml)


@lru_cache(maxsize=64)
def _read(text: str) -> Profile:
    return read_profile(text)


def summary_of(profile: Profile) -> str:
    """The cluster in a few words: "20 nodes of 8 H100"."""
    words = f"{profile.nodes} nodes of {profile.gpus_per_node} {profile.gpu}"
    fleet = sum(one.count for one in profile.node_types)
    return words if fleet == profile.nodes else f"{words}, of {fleet} nodes in all"


@transaction.atomic
def keep(
    profile: Profile, *, old: CompanyProfile | None, origin: str, by: User, now: datetime
) -> CompanyProfile:
    """The profile as a new row, as the next version of `old`, or `old` where nothing differs.

    Raises ReplacedMeanwhile where `old` is no longer the newest version.
    """
    if old is not None:
        locked = newest().select_for_update().filter(pk=old.pk).first()
        if locked is None:
            raise ReplacedMeanwhile(
                "Somebody changed this profile since you opened it: open the newest version."
            )
        if locked.digest == digest(profile):
            return locked
        newest().filter(pk=locked.pk).update(replaced_at=now)
    row = CompanyProfile(
        version=old.version + 1 if old else 1,
        name=profile.cluster,
        summary=summary_of(profile),
        toml=to_toml(complete(profile)),
        digest=digest(profile),
        origin=origin,
        created_by=by,
        created_at=now,
    )
    if old is not None:
        row.family = old.family
    row.save(force_insert=True)
    return row


def versions_of(row: CompanyProfile) -> models.QuerySet[CompanyProfile]:
    """All versions of a profile, newest first."""
    rows = CompanyProfile.objects.filter(family=row.family).select_related("created_by")
    return rows.order_by("-version")


def note_on(pack_name: str) -> str:
    """What an exercise takes from a profile, where that is not all of the cluster; else empty."""
    taken = OWN_CLUSTER.get(pack_name)
    return (
        f"Its story fixes the machines: from a company profile it takes {taken}." if taken else ""
    )


def default_profile() -> Profile:
    """What the form begins with."""
    return complete(DEFAULT)
