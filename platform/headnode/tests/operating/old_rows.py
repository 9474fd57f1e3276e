"""A row in every table of an earlier version, and whether each is there, column by column, after an upgrade.

python -m headnode.tests.operating.old_rows make|changed FILE [APP.MIGRATION...]
"""

from __future__ import annotations

import json
import re
import sys
import uuid
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
VALUES: dict[str, Any] = {
    "BooleanField": True,
    "DateTimeField": NOW,
    "DateField": date(2026, 11, 20),
    "DurationField": timedelta(minutes=3),
    "JSONField": {"kept": ["as it was"]},
    "FloatField": 0.5,
    "DecimalField": Decimal("1.5"),
    "BinaryField": b"\x00\xff",
    "UUIDField": uuid.UUID(int=7),
    "GenericIPAddressField": "192.0.2.7",
}
NUMBERS = 3
"""What every whole number is."""
LATER = re.compile(r"closes|ends|deadline|expires|last|until")
"""Moments that come after another one of their row."""
RULES: dict[str, Any] = {
    "round": 2,
    "limit_minutes": 45,
    "revision_minutes": 15,
    "reviews.Defence.skipped_because": "",
    "reviews.TalkQuestion.text": "",
    "reviews.EarlyRelease.agreed_by": None,
}
"""What the tables' own rules leave; a field of every model, or of one."""


def value(field: Any) -> Any:
    """Something that the field takes and that no default is."""
    kind = field.get_internal_type()
    if field.choices:
        return field.flatchoices[-1][0]
    if kind == "DateTimeField" and LATER.match(field.name):
        return NOW + timedelta(days=1)
    if kind in VALUES:
        return VALUES[kind]
    if kind.endswith("IntegerField"):
        return NUMBERS
    return f"{field.name} kept"[: field.max_length]


def made(model: Any, rows: dict[Any, Any]) -> Any:
    """One row of the model, leading to what is among `rows`; None while something that it needs is missing."""
    given: dict[str, Any] = {}
    for field in model._meta.concrete_fields:
        rule = next(
            (one for one in (f"{model._meta.label}.{field.name}", field.name) if one in RULES), ""
        )
        if rule:
            given[field.name] = RULES[rule]
        elif field.remote_field:
            other = rows.get(field.related_model._meta.label)
            if other is None and not field.null:
                return None
            given[field.name] = other
        elif not field.primary_key or field.get_internal_type() not in (
            "AutoField",
            "BigAutoField",
        ):
            given[field.name] = value(field)
    return model._base_manager.create(**given)


def make(released: list[tuple[str, str]]) -> dict[str, Any]:
    """Migrate to `released` and put a row into each of its tables: {table: [columns, its row]}."""
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    executor = MigrationExecutor(connection)
    leaves = executor.loader.graph.leaf_nodes()
    others = [one for one in leaves if one[0] not in {name for name, _ in released}]
    executor.migrate(released + others)
    state = MigrationExecutor(connection).loader.project_state(released + others).apps
    labels = {name for name, _ in released} | {"auth", "contenttypes"}  # which accounts lead to
    waiting = [
        model
        for model in state.get_models(include_auto_created=True)
        if model._meta.app_label in labels and not model._meta.proxy
    ]
    rows: dict[str, Any] = {}
    while waiting:
        before = len(waiting)
        for model in list(waiting):
            if row := made(model, rows):
                rows[model._meta.label] = row
                waiting.remove(model)
        if len(waiting) == before:
            raise RuntimeError(f"no row could be made of {waiting}")
    models = (type(row) for row in rows.values())
    return {model._meta.db_table: held(model._meta.db_table, columns(model)) for model in models}


def columns(model: Any) -> list[str]:
    return [field.column for field in model._meta.concrete_fields]


def held(table: str, names: list[str]) -> list[Any]:
    """The columns and every row of the table, as the database gives them."""
    from django.db import connection

    quoted = ", ".join(connection.ops.quote_name(name) for name in names)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {quoted} FROM {connection.ops.quote_name(table)}")  # noqa: S608
        return [names, [[repr(one) for one in row] for row in cursor.fetchall()]]


def changed(kept: dict[str, Any]) -> list[str]:
    """The tables in which a row is not what it was."""
    found = []
    for table, (names, rows) in kept.items():
        now = held(table, names)[1]
        found += [f"{table}: {row}" for row in rows if row not in now]
    return found


def main(what: str, file: str, *released: str) -> None:
    import django

    django.setup()
    path = Path(file)
    if what == "make":
        pairs = [(app, name) for app, _, name in (one.partition(".") for one in released)]
        path.write_text(json.dumps(make(pairs)))
    else:
        print(json.dumps(changed(json.loads(path.read_text()))))  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:])
