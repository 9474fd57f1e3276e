"""docs/permissions.md, written from the table of roles and the rules of addresses."""

from __future__ import annotations

from collections.abc import Iterable

from django.apps import apps
from django.conf import settings

from accounts.roles import IN_WORDS, ROLES
from headnode.permissions import NO_ONE, NO_STAFF, REFUSED, Address, Rule, Scope, granted, may

DOCUMENT = settings.ROOT / "docs/permissions.md"
LETTERS = {"view": "v", "add": "a", "change": "c", "delete": "d", "erase": "e", "study": "s"}
LETTERS |= {"oversee": "o", "lead": "l"}
HEAD = """# Who may see and do what

This page is written from the table that the site itself works by (`platform/accounts/roles.py`
and `platform/headnode/permissions.py`); a test asks every address as everybody in it. Write it
anew with `python manage.py permission_table > docs/permissions.md`.

Nobody holds single permissions: a person has a role, and two roles add up. A guest has that
one role, and a day on which access ends: from then on no sign-in, and open pages end too; what
the guest scored and was assigned stays on record.
"""
ROWS_NOTE = """
A permission is narrowed further, in the queries themselves:

- Administrators and recruiters (o) see every opening. A hiring manager (l) sees the openings
  that name them, with their candidates, attempts and interviews, and staffs and decides those
  alone; who can be named is who holds that role. Nobody else finds an attempt that is not
  assigned to them by name, and a hiring manager who is asked to score elsewhere scores there
  as an interviewer does.
- Whoever scores an attempt sees the pseudonym, no clock, no machine score and nobody else's
  scorecard until their own is in.
- A guest never learns the name and never reads another evaluator's scorecard, note or
  decision.
- Candidates come by a link, see their own attempt, and have no account. Staff pages and
  candidates' pages share no session.
"""


def kinds_of_records() -> list[str]:
    """All models that a role has anything to do with, as "app.model", in order."""
    return sorted({label for grants in ROLES.values() for label in grants})


def document(addresses: Iterable[Address], records: Iterable[str]) -> str:
    """The whole page as Markdown."""
    roles = list(ROLES)
    parts = [
        HEAD + "\n",
        _table(["role", "what it is for"], [[f"**{r}**", IN_WORDS[r]] for r in roles]),
    ]
    parts += [
        "\n## Records\n\nv view, a add, c change, d delete, e export and erase, s how they agree, "
        "o every opening, l openings that name them.\n\n"
    ]
    parts.append(_table(["record", *roles], [_record(label, roles) for label in records]))
    kept = [f"- {_name(label)}, {page}: {why}." for (label, page), why in sorted(REFUSED.items())]
    parts += [
        "\nRefused to everybody, whatever the role holds:\n\n" + "\n".join(kept) + "\n",
        ROWS_NOTE,
    ]
    rows = [row for row in addresses if row.rule is not None]
    parts += ["\n## Pages\n\n", PAGES, _table(["address", "sends", *roles], _pages(rows, roles))]
    own = [
        [f"`/{row.pattern}`", row.rule.scope.value] for row in rows if row.rule and _open(row.rule)
    ]
    parts += [
        "\n## Candidates, programs and the public\n\n",
        CANDIDATES,
        _table(["address", "for"], own),
        FILES,
    ]
    return "".join(parts)


PAGES = """yes: everybody of that role. named: those whom the opening names its hiring manager. assigned:
those who were assigned to the attempt by name. own scorecard in: those, once theirs is in. own:
their own, and others' as far as independence allows. Who may not is refused (403) or finds
nothing (404); who is not signed in is asked to. *sends* says what a form of the page needs.

"""
CANDIDATES = """candidate: whoever opened the link of that very invitation in this browser; to everybody else,
staff included, the page does not exist (404; the API answers 401 or 404). token: programs, by a
token that an administrator made, which reads and does what its person may and no more than its
scopes say; tracking systems by the key of their connection. docs/integrators.md tells of both.

"""
FILES = """
## Files

`/static/` is the site's own scripts and styles, public and without data. Nothing of the data
folder has an address: what a candidate handed in is read through the pages above, and an
export goes through the page that makes it.
"""


def _open(rule: Rule) -> bool:
    return rule.scope in NO_STAFF


def _name(label: str) -> str:
    return str(apps.get_model(label)._meta.verbose_name)


def _record(label: str, roles: list[str]) -> list[str]:
    held = [[LETTERS[verb] for verb in ROLES[role].get(label, ())] for role in roles]
    return [_name(label), *(" ".join(letters) or "–" for letters in held)]


def _pages(rows: list[Address], roles: list[str]) -> list[list[str]]:
    return [
        [f"`/{row.pattern}`", _sends(row.rule), *(_mark(row.rule, role) for role in roles)]
        for row in rows
        if row.rule is not None and not _open(row.rule) and row.rule != NO_ONE
    ]


def _sends(rule: Rule) -> str:
    said = {"-": "–", "": "the same", rule.permission: "the same"}.get(rule.write, rule.write)
    return f"{said}, not who is only assigned" if rule.acts == Scope.OVERSEEN else said


def _mark(rule: Rule, role: str) -> str:
    if may(rule, role, assigned=False):
        scores = "reviews.add_evaluation" in granted(role)
        return "not of whom they score" if scores and rule.scope == Scope.NAMED else "yes"
    if may(rule, role, assigned=False, own=True):
        return "own"
    found = []
    if may(rule, role, assigned=False, named=True):
        named_too = rule.scope == Scope.NAMED
        found.append("named, not of whom they score" if named_too else "named")
    if may(rule, role, assigned=True):
        found.append("assigned")
    elif may(rule, role, assigned=True, scored=True):
        found.append("own scorecard in")
    return ", ".join(found) or "–"


def _table(head: list[str], rows: Iterable[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
