"""Rows as lines of JSON and back, exactly: what is read again equals what was written, on either database."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import IO, Any

from django.apps.registry import Apps
from django.core.management.color import no_style
from django.db import connection, models

Model = type[models.Model]
AT_ONCE = 500
PLAIN = (bool, int, float, str, type(None))


def tables(apps: Apps) -> list[Model]:
    """Every model that has a table of ours, those between two kinds of rows included, by label."""
    found = apps.get_models(include_auto_created=True)
    own = [model for model in found if model._meta.managed and not model._meta.proxy]
    return sorted(own, key=lambda model: model._meta.label_lower)


def fields(model: Model) -> list[models.Field[Any, Any]]:
    """The columns that are written; what the database works out itself is left to it."""
    return [
        field for field in model._meta.concrete_fields if not getattr(field, "generated", False)
    ]


def lines(model: Model) -> Iterator[bytes]:
    """One line for each row, by primary key: a list of the values of `fields`."""
    columns = fields(model)
    rows = model._base_manager.order_by("pk")
    for row in rows.iterator(chunk_size=AT_ONCE):
        values = [encoded(field, row) for field in columns]
        yield json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def encoded(field: models.Field[Any, Any], row: models.Model) -> Any:
    """The value as JSON has it: moments to the microsecond, bytes in base64, other things as text."""
    value = field.value_from_object(row)
    if isinstance(field, models.JSONField) or isinstance(value, PLAIN):
        return value
    if isinstance(value, bytes | bytearray | memoryview):
        return base64.b64encode(bytes(value)).decode()
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return str(value)


def decoded(field: models.Field[Any, Any], value: Any) -> Any:
    """What `encoded` was given. Raises ValidationError, ValueError."""
    if value is None or isinstance(field, models.JSONField):
        return value
    if isinstance(field, models.BinaryField):
        return base64.b64decode(value)
    return _target(field).to_python(value)


def _target(field: models.Field[Any, Any]) -> models.Field[Any, Any]:
    """A key to another row has that row's kind of number."""
    while isinstance(field, models.ForeignKey):
        field = field.target_field
    return field


def write(model: Model, file: IO[bytes]) -> tuple[int, str]:
    """Write all rows; how many, and the SHA-256 of what was written."""
    count, digest = 0, hashlib.sha256()
    for line in lines(model):
        file.write(line)
        digest.update(line)
        count += 1
    return count, digest.hexdigest()


def load(model: Model, columns: list[str], file: Iterable[bytes]) -> int:
    """Insert the rows with the keys that they had; how many. `columns` as the backup names them."""
    named = {field.attname: field for field in fields(model)}
    wanted = [named[name] for name in columns]
    for field in wanted:  # the moments are those of the rows, not of their return
        for rule in ("auto_now", "auto_now_add"):
            if hasattr(field, rule):
                setattr(field, rule, False)
    count, some = 0, []
    for line in file:
        values = zip(wanted, json.loads(line), strict=True)
        some.append(model(**{field.attname: decoded(field, value) for field, value in values}))
        if len(some) == AT_ONCE:
            model._base_manager.bulk_create(some)
            count, some = count + len(some), []
    model._base_manager.bulk_create(some)
    return count + len(some)


def empty(models_: Iterable[Model]) -> None:
    """Delete every row; the references are checked at the end of the transaction."""
    for model in models_:
        model._base_manager.all()._raw_delete(connection.alias)


def continue_numbers(models_: list[Model]) -> None:
    """The next row gets a number that none of these has."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), models_):
            cursor.execute(statement)
