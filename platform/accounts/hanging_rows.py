"""Every row that exists because of another, found by walking the models' relations, and the end of all of them.

A model that is added later is found without being named anywhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from django.db import connection, models

Rows = dict[type[models.Model], set[Any]]


def hanging_on(root: models.Model) -> Rows:
    """The row and all that exist because of it, by model: {model: keys}.

    What would only be set free is not among them.
    """
    found: Rows = defaultdict(set)
    model = type(root)
    found[model] = {root.pk}
    queue: list[tuple[type[models.Model], set[Any]]] = [(model, {root.pk})]
    while queue:
        at, keys = queue.pop(0)
        for relation in pointing_at(at):
            if relation.on_delete is models.SET_NULL:
                continue
            rows = _filtered(relation, keys).values_list("pk", flat=True)
            new = set(rows) - found[relation.related_model]
            if new:
                found[relation.related_model] |= new
                queue.append((relation.related_model, new))
    return {model: keys for model, keys in found.items() if keys}


def pointing_at(model: type[models.Model]) -> Iterator[Any]:
    """The relations by which rows of other models name one of this."""
    for field in model._meta.get_fields(include_hidden=True):
        if field.auto_created and not field.concrete and (field.one_to_many or field.one_to_one):
            yield field


def _filtered(relation: Any, keys: set[Any]) -> Any:
    return relation.related_model._base_manager.filter(**{f"{relation.field.name}__in": keys})


def delete(rows: Rows) -> None:
    """All at once, in a transaction: the database checks the references at its end."""
    for model, keys in rows.items():
        for relation in pointing_at(model):
            if relation.on_delete is models.SET_NULL:
                _filtered(relation, keys).update(**{relation.field.attname: None})
    for model, keys in rows.items():
        # delete() would refuse protected rows, which are in `rows` as well
        model._base_manager.filter(pk__in=keys)._raw_delete(connection.alias)
