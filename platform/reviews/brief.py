"""What the database can say in a word: a moment as a whole number, a key as a text, a group's numbers as one.

Reading forty thousand datetimes and UUIDs takes Python longer than the database takes to find them.
"""

from __future__ import annotations

from typing import Any

from django.db.models import Aggregate, CharField, Func, IntegerField
from django.db.models.functions import Cast


class Whole(IntegerField):  # type: ignore[type-arg]
    """A number as the database gives it: Django would make an integer of each integer once more."""

    def get_internal_type(self) -> str:
        return "Whole"


class Seconds(Func):
    """A moment in whole seconds since 1970."""

    output_field = Whole()

    def as_sqlite(self, compiler: Any, connection: Any, **more: Any) -> Any:
        template = "CAST(strftime('%%%%s', %(expressions)s) AS integer)"
        return self.as_sql(compiler, connection, template=template, **more)

    def as_postgresql(self, compiler: Any, connection: Any, **more: Any) -> Any:
        template = "CAST(FLOOR(EXTRACT(EPOCH FROM %(expressions)s)) AS bigint)"
        return self.as_sql(compiler, connection, template=template, **more)


class Joined(Aggregate):
    """The whole numbers of a group as one text, "12,3,7", in no order: `numbers` reads it."""

    function = "GROUP_CONCAT"
    output_field = CharField()

    def as_postgresql(self, compiler: Any, connection: Any, **more: Any) -> Any:
        template = "STRING_AGG((%(expressions)s)::text, ',')"
        return self.as_sql(compiler, connection, template=template, **more)


class JoinedPairs(Joined):
    """Two columns of a group as one text, "a=1,b=2", in no order."""

    arg_joiner = " || '=' || "


def numbers(joined: str) -> tuple[int, ...]:
    """The numbers of `Joined`, smallest first."""
    return tuple(sorted(map(int, joined.split(","))))


def key(name: str) -> Cast:
    """A UUID as a text, which `uuid.UUID` reads again; the same for the same key within one database."""
    return Cast(name, CharField())
