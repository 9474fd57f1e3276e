"""An invitation to an exercise of each kind on a running site."""

from __future__ import annotations

from headnode.tests.browser.site import Site

INVITE = """
from datetime import timedelta
import django
django.setup()
from django.utils import timezone
from accounts.models import User
from hiring.invitations import invite
from hiring.models import Candidate, Exercise, Opening

now = timezone.now()
hana, rhea = (User.objects.get(username=name) for name in ("hana", "rhea"))
opening = Opening.objects.create(title="{kind}", level="mid", hiring_manager=hana, created_at=now)
exercise = Exercise.objects.create(
    opening=opening, pack_name="{pack}", kind="{kind}", level="mid", limit_minutes=50, revision_minutes=10,
)
person = Candidate.objects.create(name="Selin Aydin", email="{who}-{kind}@example.com", created_at=now)
_, token = invite(
    opening=opening, candidate=person, exercises=[exercise], by=rhea, now=now,
    opens_at=now - timedelta(days=1), closes_at=now + timedelta(days=7),
)
print(token)
"""
PACKS = {
    "automation": "automation/gpu-idle-alerts",
    "troubleshooting": "troubleshooting/slow-training",
    "cost": "cost/fleet-bill",
    "scaling-plan": "scaling-plan/growth-year",
}
LIVE = {"live-slurm": "troubleshooting/jobs-do-not-start"}
"""Its workspace wants a host that can lend a cluster to each candidate."""


def invited(site: Site, kind: str, who: str = "selin") -> str:
    """The token of a link to one exercise of the kind, for somebody whose address begins with `who`."""
    return site.run(INVITE.format(kind=kind, pack=(PACKS | LIVE)[kind], who=who))
