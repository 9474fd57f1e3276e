"""Pages go out packed, and two packings of one page never tell a secret by their length."""

from __future__ import annotations

import gzip
import re
from typing import Any

import brotli
import pytest
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils import timezone

from assessments.tests.stage import begin, enter, make_stage
from headnode.packing import PackedPages

pytestmark = pytest.mark.django_db
PACKED: dict[str, Any] = {"headers": {"accept-encoding": "gzip"}}
PACKINGS = {"gzip": gzip.decompress, "br": brotli.decompress}


@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.by_day(but=["br"])
def test_workspace_is_packed_and_its_secrets_are_new_each_time(
    client: Client, packing: str
) -> None:
    now = timezone.now()
    stage = make_stage(now)
    attempt = begin(stage, now)
    enter(client, stage.token)
    url = reverse("workspace", args=[attempt.pk])
    plain = client.get(url).content
    taken = "gzip, deflate" if packing == "gzip" else "gzip, deflate, br, zstd"
    packed = [client.get(url, headers={"accept-encoding": taken}) for _ in range(6)]
    assert {one["Content-Encoding"] for one in packed} == {packing}
    assert all(one["Content-Length"] == str(len(one.content)) for one in packed)
    assert all("Accept-Encoding" in one["Vary"] for one in packed)
    assert len(packed[0].content) < len(plain) / 3
    texts = [PACKINGS[packing](one.content).decode() for one in packed]
    for secret in (r'name="csrf-token" content="(\w+)"', r'name="csp-nonce" content="([^"]+)"'):
        assert len({re.search(secret, text)[1] for text in texts}) == len(texts)  # type: ignore[index]
    assert len({len(one.content) for one in packed}) > 1  # padded by a random length
    cookie = client.cookies["headnode_candidate"].value
    assert not any(cookie in text for text in texts)


def test_who_wants_no_brotli_gets_none(client: Client) -> None:
    for wanted, got in (("br;q=0, gzip", "gzip"), ("gzip;q=0.5, br;q=0.9", "br"), ("", None)):
        answer = client.get("/", headers={"accept-encoding": wanted})
        assert answer.get("Content-Encoding") == got


def test_what_is_no_page_is_left_as_it_is(rf: RequestFactory) -> None:
    """A reader of the logs' bundle counts bytes by Content-Length, and what it reads is unpacked by then."""
    bundle = HttpResponse(b"a" * 5000, content_type="application/octet-stream")
    bundle["Content-Length"] = "5000"
    asked = rf.get("/", headers={"accept-encoding": "gzip"})
    answer = PackedPages(lambda _: bundle).process_response(asked, bundle)
    assert "Content-Encoding" not in answer.headers
    assert answer["Content-Length"] == "5000"


def test_state_is_too_short_to_be_packed(client: Client) -> None:
    now = timezone.now()
    stage = make_stage(now)
    attempt = begin(stage, now)
    enter(client, stage.token)
    answer = client.get(reverse("attempt-state", args=[attempt.pk]), **PACKED)
    assert answer.status_code == 200
    assert len(answer.content) < 400


def test_browser_names_the_zone_where_none_is_known(client: Client) -> None:
    stage = make_stage(timezone.now())
    enter(client, stage.token)
    start = reverse("start", args=[stage.invitation.pk])
    for zone, kept in (
        ("Moon/Base", ""),
        ("Asia/Tokyo", "Asia/Tokyo"),
        ("Europe/Rome", "Asia/Tokyo"),
    ):
        client.post(start, {"exercise": stage.exercise.pk, "zone": zone})
        stage.ada.refresh_from_db()
        assert stage.ada.time_zone == kept
