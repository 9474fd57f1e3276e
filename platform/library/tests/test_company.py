"""Company profiles in the staff's pages: the form, files, versions, and who may."""

from __future__ import annotations

import html
import re
from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.roles import ADMINISTRATOR, HIRING_MANAGER, INTERVIEWER, RECRUITER
from library import export_reading
from library.company import ReplacedMeanwhile, keep, note_on, profile_of
from library.company_form import from_post, from_profile, in_words
from library.models import CompanyProfile
from library.tests.test_library_pages import signed_in
from scenarios.company.importer.tests.exports import STOCK, focus, job, sacct, year
from scenarios.company.profile import (
    DEFAULT,
    complete,
    digest,
    parse_profile,
    read_profile,
    to_toml,
)

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
NEW, START = "admin:company-new", "admin:library_companyprofile_add"


@pytest.fixture
def rhea() -> Client:
    return signed_in(RECRUITER)


def kept(name: str = "Nordlys", old: CompanyProfile | None = None) -> CompanyProfile:
    by = User.objects.get_or_create(username="someone")[0]
    profile = parse_profile({"cluster": {"name": name}})
    return keep(profile, old=old, origin="form", by=by, now=NOW)


def fields_of(page: Any) -> dict[str, str]:
    """What a browser would send of the form of a page, without a button."""
    text = page.content.decode()
    found = {
        name: html.unescape(value)
        for name, value in re.findall(r'<input[^>]* name="([^"]+)"[^>]* value="([^"]*)"', text)
    }
    for name, body in re.findall(r'<select name="([^"]+)"(.*?)</select>', text, re.DOTALL):
        selected = re.search(r'value="([^"]*)" selected', body)
        found[name] = selected[1] if selected else ""
    return found


def said(page: Any) -> str:
    """The page as text."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page.content.decode())).split())


def test_form_as_it_comes_is_the_default_cluster(rhea: Client) -> None:
    sent = fields_of(rhea.get(reverse(NEW)))
    answer = rhea.post(reverse(NEW), sent)
    row = CompanyProfile.objects.get()
    assert answer["Location"] == reverse("admin:library_companyprofile_change", args=[row.pk])
    assert row.digest == digest(DEFAULT)
    assert (row.summary, row.version, row.created_by.username) == (
        "20 nodes of 8 H100",
        1,
        "recruiter",
    )
    assert "Saved version 1" in LogEntry.objects.get().change_message


def test_every_field_comes_back_as_it_was_typed(rhea: Client) -> None:
    sent = fields_of(rhea.get(reverse(NEW)))
    sent |= {
        "cluster-name": "Aurora",
        "node_types-0-price_usd": "1 250 000",
        "teams-0-name": "R&D",
        "policies-0-name": "Longest queue",
        "policies-0-value": "no",
    }
    rhea.post(reverse(NEW), sent)
    profile = profile_of(CompanyProfile.objects.get())
    assert (profile.cluster, profile.node_types[0].price_usd) == ("Aurora", 1_250_000.0)
    assert (profile.teams[0].name, profile.policies["longest_queue"]) == ("R&D", False)
    assert from_profile(profile).profile() == profile


def test_wrong_fields_are_named_beside_them_and_nothing_is_kept(rhea: Client) -> None:
    sent = fields_of(rhea.get(reverse(NEW)))
    sent |= {"node_types-0-count": "many", "fabric-link_gbps": "", "teams-1-gpu_share": "0,2"}
    page = rhea.post(reverse(NEW), sent)
    assert page.status_code == 400
    text = said(page)
    assert "Node types, node type 1 : “Nodes” must be a whole number." in text
    assert "“Speed of a port” is empty." in text
    assert "with a point before decimals" in text
    assert 'value="many"' in page.content.decode()
    assert 'aria-describedby="f-node_types-0-count-e' in page.content.decode()
    assert CompanyProfile.objects.count() == 0


def test_what_does_not_fit_together_is_said_in_the_words_of_the_form(rhea: Client) -> None:
    sent = fields_of(rhea.get(reverse(NEW))) | {"facility.sites-0-total_kw": "150"}
    text = said(rhea.post(reverse(NEW), sent))
    assert (
        "“Power for all IT equipment” under “Sites”, row 1, is 150, but what stands there" in text
    )


def test_rows_are_added_and_removed_without_losing_what_was_typed(rhea: Client) -> None:
    sent = fields_of(rhea.get(reverse(NEW))) | {"cluster-name": "Aurora"}
    page = rhea.post(reverse(NEW), sent | {"add-row": "teams"})
    sent = fields_of(page)
    assert (sent["rows-teams"], sent["teams-5-headcount"], sent["cluster-name"]) == (
        "6",
        "8",
        "Aurora",
    )
    sent = fields_of(rhea.post(reverse(NEW), sent | {"remove-row": "teams-2"}))
    assert (sent["rows-teams"], sent["teams-1-name"]) == ("5", "Serving")
    for nonsense in ({"remove-row": "teams-99"}, {"remove-row": "x"}, {"add-row": "nothing"}):
        assert rhea.post(reverse(NEW), sent | nonsense).status_code in (200, 400)


def test_a_change_is_another_version_and_no_change_is_none(rhea: Client) -> None:
    first = kept()
    url = reverse("admin:company-edit", args=[first.pk])
    sent = fields_of(rhea.get(url))
    rhea.post(url, sent)
    assert CompanyProfile.objects.count() == 1
    rhea.post(url, sent | {"teams-0-headcount": "99"})
    second = CompanyProfile.objects.get(replaced_at=None)
    assert (second.version, second.family) == (2, first.family)
    assert rhea.get(url)["Location"] == reverse("admin:company-edit", args=[second.pk])
    with pytest.raises(ReplacedMeanwhile):
        kept("Elsewhere", old=first)
    shown = said(rhea.get(reverse("admin:library_companyprofile_change", args=[first.pk])))
    assert "This version was replaced." in shown


def test_profile_file_goes_out_and_comes_back(rhea: Client) -> None:
    row = kept()
    text = rhea.get(reverse("admin:company-toml", args=[row.pk])).content
    assert read_profile(text.decode()) == profile_of(row)
    page = rhea.post(
        reverse(START), {"from": "toml", "profile": SimpleUploadedFile("c.toml", text)}
    )
    assert fields_of(page)["cluster-name"] == "Nordlys"
    broken = SimpleUploadedFile("c.toml", b"[cluster]\nnodes = 3\n")
    page = rhea.post(reverse(START), {"from": "toml", "profile": broken})
    assert page.status_code == 400
    assert "nodes in [cluster] must be a whole number from 4 to 2000." in said(page)


def exports(**files: str) -> dict[str, Any]:
    given = {kind: SimpleUploadedFile(f"{kind}.txt", text.encode()) for kind, text in files.items()}
    return {"from": "exports", "name": "Aurora", **given}


def test_exports_fill_the_form_and_say_what_they_do_not_tell(rhea: Client) -> None:
    page = rhea.post(reverse(START), exports(sacct=year(300), focus=focus({}), inventory=STOCK))
    sent = fields_of(page)
    assert (sent["cluster-name"], sent["node_types-0-count"]) == ("Aurora", "14")
    assert "What the files do not tell" in said(page)
    rhea.post(reverse(NEW), sent)
    row = CompanyProfile.objects.get()
    assert (row.origin, row.summary) == ("exports", "16 nodes of 8 H100, of 18 nodes in all")


@pytest.mark.nightly
def test_bad_rows_are_shown_with_their_lines_unless_left_out(rhea: Client) -> None:
    files = {"sacct": sacct(job(), job(JobID="2", State="EXPLODED"))}
    page = rhea.post(reverse(START), exports(**files))
    assert page.status_code == 400
    assert "1 bad row: nothing was imported" in said(page)
    assert "sacct.txt 3 State is 'EXPLODED'" in said(page)
    page = rhea.post(reverse(START), exports(**files) | {"skip_bad": "on"})
    assert "1 bad row left out." in said(page)
    assert "at least one export" in said(rhea.post(reverse(START), exports()))


def test_a_second_import_beside_one_is_refused_in_words(rhea: Client) -> None:
    with export_reading._one:
        page = rhea.post(reverse(START), exports(inventory=STOCK))
    assert page.status_code == 400
    assert export_reading.TAKEN in said(page)
    assert rhea.post(reverse(START), exports(inventory=STOCK)).status_code == 200


def test_an_import_that_takes_too_long_is_ended(
    rhea: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export_reading, "WALL_S", 0.01)
    assert export_reading.TOO_LONG in said(rhea.post(reverse(START), exports(inventory=STOCK)))


def test_preview_is_made_from_the_profile_and_says_what_a_story_fixes(rhea: Client) -> None:
    url = reverse("admin:company-preview", args=[kept().pk])
    page = said(rhea.get(url, {"exercise": "automation/queue-autoscaler", "level": "senior"}))
    assert "Nordlys" in page
    assert "halo" not in page
    fixed = said(rhea.get(url, {"exercise": "automation/slurm-fair-partitions"}))
    assert note_on("automation/slurm-fair-partitions") in fixed
    assert rhea.get(url, {"exercise": "nothing/there"}).status_code == 302


@pytest.mark.parametrize(
    ("role", "status"),
    [(RECRUITER, 200), (ADMINISTRATOR, 200), (INTERVIEWER, 403), (HIRING_MANAGER, 403)],
)
def test_recruiters_and_administrators_and_nobody_else(role: str, status: int) -> None:
    client, row = signed_in(role), kept()
    for name in (START, NEW, "admin:library_companyprofile_changelist"):
        assert client.get(reverse(name)).status_code == status
    assert client.get(reverse("admin:company-edit", args=[row.pk])).status_code == status
    assert client.get(reverse("admin:company-toml", args=[row.pk])).status_code == status


@pytest.mark.parametrize(
    ("key", "words"),
    [
        (
            "count in [[node_types]], row 2, must be 3.",
            "“Nodes” under “Node types”, row 2, must be 3.",
        ),
        ("[[storage.tiers]] needs at least one row.", "“Storage” needs at least one row."),
        (
            "gpu_share in [[teams]] adds up to 0.9.",
            "“Part of all GPU-hours” under “Teams” adds up to 0.9.",
        ),
    ],
)
def test_keys_become_labels(key: str, words: str) -> None:
    assert in_words(key) == words


def test_form_takes_no_more_rows_than_there_may_be() -> None:
    form = from_post({"rows-teams": "999999", "rows-node_types": "-1"})
    assert (form.counts["teams"], form.counts["node_types"]) == (60, 0)
    assert from_post({"rows-teams": "9" * 5_000}).counts["teams"] == 60


@pytest.mark.parametrize(
    ("typed", "value"), [("2.5", 2.5), ("-.5", -0.5), ("3.", 3.0), ("1e3", 1000.0), ("12", 12)]
)
def test_policy_that_is_a_number_is_kept_as_one(rhea: Client, typed: str, value: float) -> None:
    sent = fields_of(rhea.get(reverse(NEW))) | {
        "policies-0-name": "Grace",
        "policies-0-value": typed,
    }
    assert rhea.post(reverse(NEW), sent).status_code == 302
    assert profile_of(CompanyProfile.objects.get()).policies["grace"] == value


@pytest.mark.parametrize("typed", [".", "+.", "-", "1e", "1e999", "9" * 300, "nan", "\u0660."])
def test_policy_that_looks_like_a_number_never_fails(rhea: Client, typed: str) -> None:
    sent = fields_of(rhea.get(reverse(NEW))) | {
        "policies-0-name": "Grace",
        "policies-0-value": typed,
    }
    assert rhea.post(reverse(NEW), sent).status_code in (302, 400)


def test_text_of_a_row_names_every_table() -> None:
    assert kept().toml == to_toml(complete(parse_profile({"cluster": {"name": "Nordlys"}})))
