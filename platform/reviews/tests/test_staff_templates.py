"""The staff's templates keep the content security policy: candidates' text is shown to staff."""

from __future__ import annotations

import re
from pathlib import Path

from django.test import Client
from django.urls import reverse

from assessments.models import Attempt, Submission

PLATFORM = Path(__file__).resolve().parents[2]
FOLDERS = ("headnode/templates/admin", "headnode/templates/registration")
INLINE = re.compile(r"""\sstyle=|<style|\son\w+=["']|<script(?![^>]*\ssrc=)|javascript:""")


def test_staff_templates_have_nothing_inline() -> None:
    found = [path for name in FOLDERS for path in (PLATFORM / name).rglob("*.html")]
    for app in ("hiring", "reviews"):
        found += (PLATFORM / app).rglob("*.html")
    assert len(found) > 70
    assert [path.name for path in found if INLINE.search(path.read_text())] == []


def test_what_a_candidate_typed_stays_text(clients: dict[str, Client], handed_in: Attempt) -> None:
    evil = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    submission = Submission.objects.get(attempt=handed_in)
    submission.body = {"files": {"a<b>.py": evil}, "sections": {"why": evil}}
    submission.save()
    urls = [reverse("admin:attempt", args=[handed_in.pk])]
    urls += [reverse("admin:score", args=[handed_in.pk, 1])]
    for url in urls:
        answer = clients["ines"].get(url)
        assert "<script>alert" not in answer.content.decode()
        assert "<img src=x" not in answer.content.decode()
        policy = answer["Content-Security-Policy"]
        assert "unsafe" not in policy
