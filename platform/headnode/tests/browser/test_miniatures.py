"""Each miniature of the practice room opens, says that it is practice, and shows its own content."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from headnode.tests.browser.actors import DESKTOP, PHONE, Candidate
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
opening = Opening.objects.create(title="Everything", level="mid", hiring_manager=hana, created_at=now)
exercise = Exercise.objects.create(
    opening=opening, pack_name="{pack}", kind="{kind}", level="mid", limit_minutes=50, revision_minutes=10,
)
person = Candidate.objects.create(name="Selin {kind}", email="{kind}@example.com", created_at=now)
_, token = invite(
    opening=opening, candidate=person, exercises=[exercise], by=rhea, now=now,
    opens_at=now - timedelta(days=1), closes_at=now + timedelta(days=7),
)
print(token)
"""
MINIATURES = [
    ("troubleshooting", "troubleshooting/slow-training", ["Dashboards", "Logs", "Terminal"]),
    ("cost", "cost/fleet-bill", ["Explore", "SQL"]),
    ("scaling-plan", "scaling-plan/growth-year", ["Overview", "Orders", "Timeline"]),
]


@pytest.mark.nightly
@pytest.mark.parametrize(("kind", "pack", "tabs"), MINIATURES, ids=[one[0] for one in MINIATURES])
def test_a_miniature_opens(
    kind: str, pack: str, tabs: list[str], site: Site, chrome: Browser
) -> None:
    token = site.run(INVITE.format(kind=kind, pack=pack)).strip()
    for size in (DESKTOP, PHONE):
        selin = Candidate(chrome, site, size)
        selin.page.goto(f"{site.url}/t/{token}/")
        selin.follow("Open the practice room")
        if size == DESKTOP:
            selin.press("Practise this")
            start = selin.page.get_by_role("button", name="Start practising")
            expect(start).to_be_enabled(timeout=240_000)
            start.click()
        else:
            selin.follow("Go on practising")
        expect(selin.page.get_by_role("dialog").first).to_be_visible(timeout=240_000)
        selin.page.keyboard.press("Escape")
        for name in tabs:
            tab = selin.page.get_by_role("tab", name=name, exact=True)
            if not tab.is_visible():
                continue  # on a phone the room stands behind a tab of its own
            tab.click()
            selin.page.wait_for_timeout(1500)
            selin.look(f"practice-{kind}-{name.lower()}")
