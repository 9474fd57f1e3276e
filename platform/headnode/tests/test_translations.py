"""Nothing that a candidate reads is left untranslated: sources, files of translation, pages and messages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po
from django.test import Client
from django.urls import reverse
from django.utils import timezone, translation

from assessments.tests.stage import enter, make_stage
from headnode import translating
from headnode.management.commands.translations import compiled_of
from hiring.messages.to_candidates import invite_by_mail
from sandbox.conversation import cpu_sentence, memory_sentence, wall_sentence
from sandbox.limits import Limits

FILES = {"django": translating.of_pages, "djangojs": translating.of_scripts}
PLACES = re.compile(r"%\(\w+\)s|\{\{ \w+ \}\}|\{\w*\}|<[^>]+>")
BLOCKS = re.compile(
    r"\{%\s*(comment|blocktranslate)\b.*?\{%\s*end\1\s*%\}|\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}",
    re.DOTALL,
)
SAME_EVERYWHERE = {"Headnode", "SHA", "UTC", "English", "Deutsch"}
READ_ALOUD = {"aria-label", "title", "alt", "placeholder"}
SENTENCE = re.compile(r"[A-Z“][\w’']*( [\w’'“”(),:;{}$.-]+){2,}[.?!…]")


def catalogue(name: str) -> Catalog:
    path = translating.LOCALE / f"de/LC_MESSAGES/{name}.po"
    return read_po(BytesIO(path.read_bytes()), locale="de")


def every(words: object) -> list[str]:
    """The one form of a message, or the singular and the plural."""
    return [str(one or "") for one in (words if isinstance(words, (list, tuple)) else (words,))]


@pytest.mark.parametrize("name", FILES)
def test_every_text_has_its_german(name: str) -> None:
    told, missing = catalogue(name), []
    for text in FILES[name]():
        found = told.get(text.words, context=text.context or None)
        strings = every(found.string) if found else [""]
        if not found or found.fuzzy or not all(strings) or (text.plural and len(strings) < 2):
            missing.append(f"{text.where}: {text.words[:80]}")
    assert not missing, "run manage.py translations, then translate:\n" + "\n".join(missing)


@pytest.mark.parametrize("name", FILES)
def test_every_value_stands_in_the_german_too(name: str) -> None:
    for found in catalogue(name):
        ids, strings = every(found.id), every(found.string)
        if found.id:
            for words in strings:
                assert set(PLACES.findall(words)) - {"<a>"} <= set(PLACES.findall(" ".join(ids))), (
                    words
                )
            assert set(PLACES.findall(" ".join(strings))) == set(PLACES.findall(" ".join(ids))), (
                ids[0]
            )


@pytest.mark.parametrize("name", FILES)
def test_what_is_compiled_is_what_is_written(name: str) -> None:
    fresh = compiled_of(translating.LOCALE / f"de/LC_MESSAGES/{name}.po", catalogue(name))
    assert {path.name: path.read_bytes() for path in fresh} == {
        path.name: words for path, words in fresh.items()
    }


class Words(HTMLParser):
    """Texts and read attributes of a page's source, its tags of templates taken out."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.silent = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.silent = tag if tag in ("script", "style") else ""
        self.found += [value or "" for name, value in attrs if name in READ_ALOUD]

    def handle_endtag(self, tag: str) -> None:
        self.silent = ""

    def handle_data(self, data: str) -> None:
        if not self.silent:
            self.found.append(data)


def left_out(source: str) -> list[str]:
    """Words of a template that no tag of translation holds."""
    reader = Words()
    reader.feed(BLOCKS.sub("", source))
    return [
        " ".join(text.split())
        for text in reader.found
        if set(re.findall(r"[A-Za-z]{2,}", text)) - SAME_EVERYWHERE
    ]


@pytest.mark.parametrize("path", translating.files(translating.TEMPLATES), ids=lambda one: one.name)
def test_template_marks_all_its_words(path: Path) -> None:
    source = re.sub(r"\{% block (bodyclass|pageclass) %\}.*?\{% endblock %\}", "", path.read_text())
    assert left_out(source) == []


def test_words_outside_a_mark_are_found() -> None:
    assert left_out('<p>Hello there{% if a %}, you{% endif %}</p>{# no #}<i title="Read">{{ b }}</i>') == [
        "Hello there, you", "Read",
    ]  # fmt: skip
    assert left_out('<p>{% translate "Hello there" %} · Headnode</p>') == []


def plain_sentences(source: str) -> Iterator[str]:
    """Sentences in quotes that are not looked up."""
    source = re.sub(r"^\s*(//|/?\*).*$|\s//.*$", "", source, flags=re.MULTILINE)
    source = re.sub(r'DOMException\("[^"]+"', "", source)  # seen by our own code alone
    source = re.sub(r'counted\(\s*"[^"]+",\s*"[^"]+"', "", source)
    source = re.sub(r"(?<![\w$.])t`(?:[^`$]|\$(?!\{)|\$\{[^`{}]*\})*`", "", source)
    for found in re.finditer(r'"([^"\n]*)"|`([^`\n]*)`', source):
        if SENTENCE.fullmatch(found[1] or found[2] or ""):
            yield found[0]


SHOWN_WORD = re.compile(
    r'\},\s*"([A-Za-z][^"]*)"\s*[,)]'
    r'|(?:title|label|placeholder|alt|"aria-label"|"aria-description"):\s*"([A-Za-z][^"]*)"'
    r'|textContent\s*=\s*"([A-Za-z][^"]*)"'
)
"""A text of one word or more that is put into an element as it stands."""
KEYS_AND_NAMES = {
    "Cluster",
    "Enter",
    "Esc",
    "GPUs",
    "SQL",
    "Tab",
    "Terminal",
    "j",
    "k",
    "null",
    "p",
}
"""The same in every language."""


def shown_words(source: str) -> set[str]:
    return {word for found in SHOWN_WORD.finditer(source) for word in found.groups() if word}


def test_scripts_look_their_short_words_up() -> None:
    ours = [path for path in translating.files(translating.SCRIPTS) if path.name not in NOT_OURS]
    found = {path.name: shown_words(path.read_text()) - KEYS_AND_NAMES for path in ours}
    assert {name: left for name, left in found.items() if left} == {}
    assert shown_words('el("kbd", {}, "Shift"), { title: "Read only" }, el("p", {}, t`Now`)') == {
        "Shift",
        "Read only",
    }


def test_scripts_look_their_sentences_up() -> None:
    ours = [path for path in translating.files(translating.SCRIPTS) if path.name not in NOT_OURS]
    found = {path.name: list(plain_sentences(path.read_text())) for path in ours}
    assert {name: left for name, left in found.items() if left} == {}
    assert list(plain_sentences('say("The server does not answer.")'))


QUOTED = re.compile(r'([=!]== |\w\()?"([^"\n]*)"|(?<![\w$.)}])`([^`$]*[A-Za-z]{2}[^`]*)`')
CHILD = re.compile(
    r"""(?:\bel\(\s*"[\w-]+",\s*\{[^{}]*\}|^\s+\{[^{}]*\}),\s*"([^"\n]*[A-Za-z]{2}[^"\n]*)\"""",
    re.MULTILINE,
)
KEYS = {"Esc", "Tab", "Ctrl", "Enter", "Shift"}
NOT_SAID = KEYS | {"en-GB", "AB", "GPU ", "null", " pinned", "month", "room"}
"""Names of keys, languages, classes and fields, and what is the same in every language."""


def nested_words(source: str) -> Iterator[str]:
    """Words within a template's values, or given to an element as its text, that are not looked up."""
    source = re.sub(r"^\s*(//|/?\*).*$|\s//.*$", "", source, flags=re.MULTILINE)
    source = re.sub(r'counted\(\s*"[^"]+",\s*"[^"]+"', "", source)
    for found in re.finditer(r"\$\{", source):
        line = source[source.rfind("\n", 0, found.start()) : found.start()]
        value = translating.value_at(source, found.end())
        if "className" not in line:
            told = QUOTED.finditer(without_looked_up(value))
            said = (one[2] or one[3] or "" for one in told if not one[1])
            yield from (words for words in said if re.search("[A-Za-z]{2}", words))
    yield from (found[1] for found in CHILD.finditer(source))


def without_looked_up(source: str) -> str:
    return re.sub(r"(?<![\w$.])t`(?:[^`$]|\$(?!\{)|\$\{[^{}]*\})*`", "", source)


def test_values_of_templates_hold_no_words_of_their_own() -> None:
    ours = [path for path in translating.files(translating.SCRIPTS) if path.name not in NOT_OURS]
    found = {path.name: set(nested_words(path.read_text())) - NOT_SAID for path in ours}
    assert {name: left for name, left in found.items() if left} == {}


def test_words_within_a_value_are_found() -> None:
    assert list(nested_words('t`Saved${own ? `; here as #${own}` : ""}.`')) == ["; here as #${own}"]
    assert list(nested_words('`${row.what || "nothing yet"}`')) == ["nothing yet"]
    assert list(nested_words('el("b", {}, "only")')) == ["only"]
    assert not list(
        nested_words('`${row.what || t`nothing yet`} ${kind === "gpu" ? t`${a} more` : ""}`')
    )


TEMPLATE = re.compile(
    r"(?<![\w$.])(\w*)`((?:[^`$]|\$(?!\{)|\$\{(?:[^`{}]|\{[^{}]*\}|`[^`]*`)*\})*)`"
)
VALUE = re.compile(r"\$\{(?:[^`{}]|\{[^{}]*\}|`[^`]*`)*\}")
JOINED = re.compile(r"(\0|\s)\s+[A-Za-z]{2,}\s+(\0|\s)|^\s+[A-Za-z]{2,}\s+\0")
CLASSES = ("swatch ",)
"""How templates begin that name a thing's look and say nothing."""


def joining_words(source: str) -> Iterator[str]:
    """Templates that join values by a word, as in "3 of 8", and are not looked up."""
    source = re.sub(r"^\s*(//|/?\*).*$|\s//.*$", "", source, flags=re.MULTILINE)
    for tag, text in TEMPLATE.findall(source):
        shown = VALUE.sub("\0", text)
        if tag != "t" and not shown.startswith(CLASSES) and JOINED.search(shown):
            yield text


def test_words_between_values_are_looked_up() -> None:
    ours = [path for path in translating.files(translating.SCRIPTS) if path.name not in NOT_OURS]
    found = {path.name: list(joining_words(path.read_text())) for path in ours}
    assert {name: left for name, left in found.items() if left} == {}
    assert list(joining_words("say(`${a} of ${b}`)")) == ["${a} of ${b}"]
    assert list(joining_words("say(` of ${b}`); mark(`series-${b} plain`)")) == [" of ${b}"]


NOT_OURS = {"admin.js", "logs_worker.js"}
"""Staff's own, and what runs apart from the page: its page words what it says."""


def german(client: Client, url: str) -> str:
    return client.get(url, headers={"accept-language": "de-DE,de;q=0.9,en;q=0.5"}).content.decode()


def test_pages_follow_the_browser_then_the_opening_then_the_candidate(
    db: None, client: Client
) -> None:
    stage = make_stage(timezone.now())
    enter(client, stage.token)
    lobby = reverse("lobby", args=[stage.invitation.pk])
    assert '<html lang="en-GB">' in client.get(lobby).content.decode()
    page = german(client, lobby)
    assert '<html lang="de">' in page
    assert "Arbeitsprobe für GPU engineer" in page
    stage.opening.language = "de"
    stage.opening.save()
    enter(client, stage.token)
    assert '<html lang="de">' in client.get(lobby).content.decode()
    client.post(reverse("language", args=[stage.invitation.pk]), {"language": "en-gb"})
    assert '<html lang="en-GB">' in german(client, lobby)
    stage.invitation.refresh_from_db()
    assert stage.invitation.language == "en-gb"
    refused = client.post(reverse("language", args=[stage.invitation.pk]), {"language": "tlh"})
    assert refused.status_code == 404


def test_staff_read_english_whatever_their_browser_wishes(db: None, client: Client) -> None:
    stage = make_stage(timezone.now())
    client.force_login(stage.rhea)
    assert 'lang="de' not in german(client, reverse("admin:index"))
    assert "Passwort" not in german(Client(), "/admin/login/")


def test_trouble_is_said_in_german(db: None, client: Client) -> None:
    assert "Unter dieser Adresse gibt es nichts" in german(client, "/nowhere/")
    assert "Dieser Link lässt sich nicht öffnen" in german(client, "/t/unknown/")
    told = client.get("/api/attempts/0/state", headers={"accept-language": "de"})
    assert told.json()["detail"] == "Hier gibt es nichts."


def test_message_is_written_in_the_candidates_language(db: None) -> None:
    stage = make_stage(timezone.now())
    stage.invitation.language = "de"
    stage.invitation.save()
    told = invite_by_mail(stage.invitation, by=stage.rhea, now=timezone.now())
    assert told
    assert told.subject == "Ihre Arbeitsprobe für GPU engineer"
    assert "Minuten ab dem Moment, in dem Sie auf „Start“ drücken" in told.text
    assert translation.get_language() == "en-gb"


def test_scripts_get_their_words_with_the_page(db: None, client: Client) -> None:
    stage = make_stage(timezone.now())
    enter(client, stage.token)
    practice = reverse("practice", args=[stage.invitation.pk])
    assert "words.js" not in client.get(practice).content.decode().replace("headnode/words.js", "")
    address = re.search(r'<script src="(/words\.js[^"]+)"', german(client, practice))
    assert address
    words = german(client, address[1])
    assert "Noch nichts zu speichern" in words
    assert "Ihre Arbeitsprobe" not in words  # of pages and messages
    assert "Die Uhr" in words  # of the practice room
    assert "Hypothese" not in words  # of the incident's room, whose pages ask for them


@pytest.mark.parametrize("said", [cpu_sentence, wall_sentence, memory_sentence])
def test_how_a_run_was_stopped_is_said_in_german_where_the_sandbox_says_it_in_english(
    said: Callable[[Limits], str],
) -> None:
    words = re.sub(r"\b\d+(\.\d+)?\b", "{0}", said(Limits()))
    found = catalogue("djangojs").get(words)
    assert found, words
    assert found.string
