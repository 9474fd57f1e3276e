"""On no page that a candidate can open does axe find anything, of whatever impact: themes, widths."""

from __future__ import annotations

import json
import re
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Locator, Route, expect

from headnode.candidate_addresses import CANDIDATE_ADDRESSES
from headnode.tests.browser.actors import DESKTOP, PHONE, Candidate
from headnode.tests.browser.site import Site

STAGE = """
import json, uuid, django; django.setup()
from datetime import timedelta
from django.urls import reverse
from django.utils import timezone
from assessments import answers, attempts, building, pages
from assessments.own_work import finding, rounds
from accounts.models import User
from hiring.invitations import find, invite
from hiring.models import Candidate
from library.packs import pack_of

now, found, tokens = timezone.now(), {{}}, {tokens!r}
done = find(tokens["done"])
person = Candidate.objects.create(name="Tilda Working", email="tilda@example.com", created_at=now)
_, tokens["working"] = invite(
    opening=done.opening, candidate=person, exercises=[done.exercises.get()],
    by=User.objects.get(username="rhea"), now=now, opens_at=now, closes_at=now + timedelta(days=7))
for key, token in tokens.items():
    invitation = find(token)
    exercise, own = invitation.exercises.get(), [invitation.pk]
    for name in {own!r}:
        found[f"{{key}} {{name}}"] = reverse(name, args=own)
    if exercise.has_room:
        found[f"{{key}} ahead"] = reverse("ahead", args=[invitation.pk, exercise.pk])
    invitation.opening.own_work = "after"; invitation.opening.save()
    building.prepare_now(invitation, now=now)
    attempt = invitation.attempts.first() or attempts.start(
        invitation=invitation, exercise=exercise, policies=pages.policies(exercise), now=now)
    if key != "done":
        found[f"{{key}} workspace"] = reverse("workspace", args=[attempt.pk])
        continue
    body, pack = answers.starting_body(attempt), pack_of(exercise.pack_name)
    body["files"][pack.entry] = pack.golden(exercise.level, "competent")
    attempts.submit(attempt.pk, client=uuid.uuid4(), seq=1, base=None, body=body, now=now)
    finding.find_questions(rounds.round_of(attempt).pk)
    for name in {after!r}:
        found[f"{{key}} {{name}}"] = reverse(name, args=[attempt.pk])
print(json.dumps([tokens, found]))
"""
OF_A_LINK = ("lobby", "about-you", "your-data", "practice", "sitting", "own-work-example")
OF_AN_ATTEMPT = ("receipt", "answer", "own-work")
PAGES = {*OF_A_LINK, *OF_AN_ATTEMPT, "ahead", "workspace"}
NO_PAGES = {"your-data-copy", "ahead-file", "preparing", "answer-zip", "kit"}
"""Downloads, and what scripts ask: all that is named for an attempt, a room, a plan, a terminal, a cluster."""
ASKED_BY_SCRIPTS = re.compile("(attempt|room|plan|terminal|cluster)-|.*-(state|moment)$")
Language = Literal["en", "de"]
Look = tuple[tuple[int, int], Literal["light", "dark"], Language]
LANGUAGE_TAGS = {"en": "en-GB", "de": "de"}
PARTS_IN_GERMAN = {"Read": "Lesen", "Run": "Ausführen", "Answer": "Antwort", "Room": "Raum"}
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
LANGUAGES: tuple[Language, ...] = ("en", "de")
LOOKS: list[Look] = [
    (size, theme, language)
    for language in LANGUAGES
    for size in (DESKTOP, PHONE)
    for theme in THEMES
]
ZONE, TOLD_IN_IT = "Asia/Kolkata", re.compile(r"GMT\+5:30 \((\w+\.?,? )?\d\d:\d\d UTC\)$")
ONE_ROW_PX = 44
COMPLETED = [
    ("cluster.sc", "(pool: str, size: int) -> ScaleResult", "Bring a pool to size nodes."),
    ("cluster.metr", "() -> Metrics", "Queues, GPUs, spend and readings of each node."),
    ("RateL", "RateLimited", "Nothing was done."),
]
"""What is typed, what is then proposed first, and what is said beside it."""
A_GLANCE_MS = 150
"""The editor takes Enter for a new line in the first 75 ms of a proposal, which nobody has read."""
TWICE_THE_SIZE = (DESKTOP[0] // 2, DESKTOP[1] // 2)
NAMES = [f"{size[0]}-{theme}-{language}" for size, theme, language in LOOKS]


class Reader(Candidate):
    """A candidate on whose pages nothing is tolerated."""

    grave = frozenset({"minor", "moderate", "serious", "critical", None})


def test_every_address_is_a_page_or_none() -> None:
    read = {name for name, _, only_post in CANDIDATE_ADDRESSES if not only_post}
    assert {name for name in read - NO_PAGES if not ASKED_BY_SCRIPTS.match(name)} == PAGES


@pytest.fixture(scope="module")
def staged(site: Site) -> tuple[dict[str, str], dict[str, str]]:
    """Tokens of links by candidate, and "<candidate> <name of the page>" -> path.

    Two of them write a program, one of whom has handed it in; the others work in a room each.
    """
    given = site.credentials
    tokens = {
        "done": given["token"],
        **{key: given[key] for key in ("incident", "cost", "scaling")},
    }
    script = STAGE.format(tokens=tokens, own=OF_A_LINK, after=OF_AN_ATTEMPT)
    told, found = json.loads(site.run(script, within=600))
    return told, found


def read(site: Site, chrome: Browser, look: Look, token: str) -> Reader:
    """Somebody who has opened that link, in a window of that size and theme, reading that language."""
    size, theme, language = look
    reader = Reader(chrome, site, size)
    reader.context.set_extra_http_headers({"Accept-Language": language})
    reader.page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    own = reader.context.new_cdp_session(reader.page)
    own.send("Emulation.setTimezoneOverride", {"timezoneId": ZONE})
    reader.page.goto(f"{site.url}/t/{token}/")
    return reader


@pytest.mark.by_day("look", [(PHONE, "dark", "en")])
@pytest.mark.parametrize("look", LOOKS, ids=NAMES)
def test_pages_have_no_fault(
    site: Site, chrome: Browser, staged: tuple[dict[str, str], dict[str, str]], look: Look
) -> None:
    tokens, found = staged
    assert {name.split()[1] for name in found} == PAGES
    for key, token in tokens.items():
        reader = read(site, chrome, look, token)
        for name, path in found.items():
            # What every link has is the same for each of them.
            if name.split()[0] != key or (key != "done" and name.split()[1] in OF_A_LINK[1:]):
                continue
            reader.page.goto(f"{site.url}{path}")
            if name.endswith("workspace"):
                expect(reader.page.locator("#submit-open")).to_be_enabled()
            expect(reader.page.locator("html")).to_have_attribute("lang", LANGUAGE_TAGS[look[2]])
            told = reader.page.locator("time").all_inner_texts()
            assert [text for text in told if not TOLD_IN_IT.search(text)] == []
            reader.look(f"{look[2]}-{look[1]}-{name.replace(' ', '-')}")
        reader.context.close()


@pytest.mark.nightly
@pytest.mark.parametrize("look", LOOKS, ids=NAMES)
def test_parts_of_a_workspace_have_no_fault(
    site: Site, chrome: Browser, staged: tuple[dict[str, str], dict[str, str]], look: Look
) -> None:
    tokens, found = staged
    for key in ("working", "incident", "cost", "scaling"):
        reader = read(site, chrome, look, tokens[key])
        reader.page.goto(f"{site.url}{found[f'{key} workspace']}")
        expect(reader.page.locator("#submit-open")).to_be_enabled()
        looked: set[str] = set()
        for part in ("Read", "Code", "Run", "Answer", "Room"):
            reader.show(PARTS_IN_GERMAN.get(part, part) if look[2] == "de" else part)
            for tab in visible_tabs(reader):
                if (named := tab.inner_text()) in looked:  # a wide window shows all parts at once
                    continue
                looked.add(named)
                tab.click()
                reader.page.wait_for_load_state("networkidle")
                reader.look(f"{look[2]}-{look[1]}-{key}-{named}".lower())
        look_at_dialogs(reader, f"{look[2]}-{look[1]}-{key}")
        reader.context.close()


def look_at_dialogs(reader: Reader, name: str) -> None:
    """What the bar's buttons open."""
    dialog = reader.page.locator("dialog[open]")
    for opener in ("ask", "history", "submit"):
        reader.page.locator(f"#{opener}-open").click()
        expect(dialog).to_be_visible()
        reader.page.wait_for_load_state("networkidle")
        reader.look(f"{name}-{opener}-dialog")
        reader.page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)


@pytest.mark.by_day("size", [PHONE])
@pytest.mark.parametrize("size", [PHONE, TWICE_THE_SIZE], ids=["phone", "200-percent"])
def test_small_window_begins_with_the_brief_and_leaves_height_to_the_work(
    site: Site,
    chrome: Browser,
    staged: tuple[dict[str, str], dict[str, str]],
    size: tuple[int, int],
) -> None:
    tokens, found = staged
    for key in ("working", "incident", "cost", "scaling"):
        reader = read(site, chrome, (size, "light", "en"), tokens[key])
        reader.page.goto(f"{site.url}{found[f'{key} workspace']}")
        expect(reader.page.locator("#submit-open")).to_be_enabled()
        expect(reader.page.locator("#pane-read")).to_be_visible()
        reader.show("Code" if key == "working" else "Room")
        work = reader.page.locator("#code-body, .room-body").bounding_box()
        told = reader.page.locator("#notices").bounding_box()  # those can be closed
        assert work is not None
        assert work["y"] - (told["height"] if told else 0) < size[1] / 3, key
        reader.page.reload()
        expect(reader.page.locator("#code-body, .room-body")).to_be_visible()  # where one was
        reader.context.close()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.by_day("language", ["de"])
def test_rows_of_tabs_and_filters_stay_one_row_each_and_one_tab_is_chosen(
    site: Site,
    chrome: Browser,
    staged: tuple[dict[str, str], dict[str, str]],
    language: Language,
) -> None:
    tokens, found = staged
    for key in ("working", "incident"):
        reader = read(site, chrome, (DESKTOP, "light", language), tokens[key])
        reader.page.goto(f"{site.url}{found[f'{key} workspace']}")
        expect(reader.page.locator("#submit-open")).to_be_enabled()
        for row in reader.page.locator("[role=tablist]:visible").all():
            expect(row.locator("[aria-selected=true]")).to_have_count(1)
        if key == "working":
            reader.context.close()
    reader.page.get_by_role("tab", name="Logs").click()
    expect(reader.page.locator(".log-lines .line").first).to_be_visible()
    for row in reader.page.locator(".pane-head, .log-bar, .log-status").all():
        box = row.bounding_box()
        assert box is None or box["height"] <= ONE_ROW_PX, row.inner_text()
    reader.context.close()


def test_every_document_is_reached_where_its_tab_has_no_room(
    site: Site, chrome: Browser, staged: tuple[dict[str, str], dict[str, str]]
) -> None:
    tokens, found = staged
    reader = read(site, chrome, (DESKTOP, "dark", "en"), tokens["working"])
    reader.page.goto(f"{site.url}{found['working workspace']}")
    tabs = reader.page.locator("#pane-read").get_by_role("tab")
    last = tabs.last.inner_text()
    reader.page.get_by_role("button", name="All documents").click()
    reader.look("all-documents")
    expect(reader.page.locator(".tabs-all button")).to_have_count(tabs.count())
    reader.page.locator(".tabs-all").get_by_role("button", name=last).click()
    expect(tabs.last).to_have_attribute("aria-selected", "true")
    expect(tabs.last).to_be_in_viewport(ratio=0.9)
    reader.context.close()


def test_editor_completes_calls_of_the_sdk_with_types_and_words(
    site: Site, chrome: Browser, staged: tuple[dict[str, str], dict[str, str]]
) -> None:
    tokens, found = staged
    reader = read(site, chrome, (DESKTOP, "light", "en"), tokens["working"])
    reader.page.goto(f"{site.url}{found['working workspace']}")
    reader.write_program("import headnode_sdk\ncluster = headnode_sdk.connect()\n")
    for typed, detail, words in COMPLETED:
        reader.page.keyboard.type(typed)
        proposed = reader.page.locator(".cm-tooltip-autocomplete [aria-selected=true]")
        expect(proposed).to_contain_text(detail)
        expect(reader.page.locator(".cm-completionInfo")).to_contain_text(words)
        reader.page.wait_for_timeout(A_GLANCE_MS)
        reader.page.keyboard.press("Enter")
        reader.page.keyboard.type("\n")
    expect(reader.page.locator(".cm-content")).to_contain_text(
        re.compile("cluster.scale.*cluster.metrics.*RateLimited", re.DOTALL)
    )
    reader.context.close()


def test_more_time_is_told_politely_and_at_once_in_the_last_minute(
    site: Site, chrome: Browser, staged: tuple[dict[str, str], dict[str, str]]
) -> None:
    tokens, found = staged
    reader = read(site, chrome, (DESKTOP, "light", "en"), tokens["working"])
    said: dict[str, Any] = {}

    def state(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, json=answer.json() | said)

    def told(notice: int, *, left_s: int) -> None:
        """The page asks, and is told of that much time and of one more extension."""
        said["remaining_s"] = left_s
        said["notice"] = {"id": notice, "text": f"You have {notice} min more time.", "at": "2036"}
        reader.page.evaluate("dispatchEvent(new Event('focus'))")

    reader.page.route("**/state", state)
    reader.page.goto(f"{site.url}{found['working workspace']}")
    expect(reader.page.locator("#submit-open")).to_be_enabled()
    polite, at_once = reader.page.locator("#announce"), reader.page.locator("#announce-now")
    told(7, left_s=1200)
    expect(polite).to_contain_text("You have 7 min more time.")
    expect(at_once).to_have_text("")
    told(7, left_s=50)
    expect(at_once).to_contain_text("One minute left.")
    told(8, left_s=530)
    expect(at_once).to_contain_text("You have 8 min more time.")
    reader.context.close()


def visible_tabs(reader: Reader) -> list[Locator]:
    """Those within the parts that are in sight."""
    return [one for one in reader.page.locator(".pane [role=tab]").all() if one.is_visible()]
