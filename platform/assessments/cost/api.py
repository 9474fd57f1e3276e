"""The addresses of the cost exercise's workspace: tables, pivots, SQL, and what filters select."""

from __future__ import annotations

import json
import re
import threading
import time
from collections import deque
from collections.abc import Hashable
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.exceptions import APIException
from rest_framework.request import Request

from assessments.cost import asking, lines, store
from assessments.escapes import writable
from assessments.materials.result_cache import Kept
from assessments.materials.variants import NotBuilt
from assessments.places import PLACES
from assessments.troubleshooting.answering import ANSWERERS, Refused
from assessments.workplace.access import NotThere, RoomView, packed
from graders.cost.answer import MOST_ROWS as MOST_OPPORTUNITIES
from graders.cost.answer import parse
from graders.written import BadAnswer
from scenarios.cost.query import (
    LONGEST_SQL,
    MOST_GROUPS,
    MOST_ROWS,
    PERIODS,
    SUMS,
    BadQuery,
    Pivot,
    Tables,
)
from scenarios.cost.tables import DERIVED, table_name

JSON = "application/json"
KEPT: Kept[bytes] = Kept(4_000_000, len)
MOST_VALUES, MOST_FILTERS = 400, 12
MOST_COMPARED = 600
"""Values of all filters of a table together."""
BOUND = re.compile(r"\A(\d{4}(-\d\d){0,2})?\Z")
MOST_ASKED, ASKED_PER_S = 90, 30.0
"""Questions of one asker in so many seconds: more than hands can ask."""


class Unfit(APIException):
    status_code = 400
    default_code = "question"


class Hasty(APIException):
    status_code = 429
    default_detail = "Those were very many questions at once: wait a few seconds and ask again."
    default_code = "hasty"
    wait = 3


class Pace:
    """How often each asker asked of late; safe to use from several threads."""

    def __init__(self, most: int, seconds: float) -> None:
        self._most, self._seconds = most, seconds
        self._asked: dict[Hashable, deque[float]] = {}
        self._lock = threading.Lock()

    def allows(self, who: Hashable, now: float) -> bool:
        """Count a question at `now` (s); False where there were too many before it."""
        with self._lock:
            for one in [
                key for key, times in self._asked.items() if times[-1] < now - self._seconds
            ]:
                del self._asked[one]
            times = self._asked.setdefault(who, deque(maxlen=self._most))
            if len(times) == self._most and times[0] > now - self._seconds:
                return False
            times.append(now)
            return True


PACE = Pace(MOST_ASKED, ASKED_PER_S)


class PivotRequest(serializers.Serializer[Any]):
    """A pivot as the page asks for it."""

    table = serializers.CharField(max_length=60)
    value = serializers.CharField(max_length=100, allow_blank=True, default="")
    by = serializers.ListField(
        child=serializers.CharField(max_length=100), max_length=MOST_GROUPS, default=list
    )
    where = serializers.DictField(
        child=serializers.ListField(
            child=serializers.CharField(max_length=500, allow_blank=True, trim_whitespace=False),
            min_length=1,
            max_length=MOST_VALUES,
        ),
        default=dict,
    )
    time = serializers.CharField(max_length=100, allow_blank=True, default="")
    period = serializers.ChoiceField([*PERIODS, ""], allow_blank=True, default="")
    how = serializers.ChoiceField(SUMS, default="sum")
    first = serializers.RegexField(BOUND, max_length=10, allow_blank=True, default="")
    last = serializers.RegexField(BOUND, max_length=10, allow_blank=True, default="")

    def validate_where(self, value: dict[str, list[str]]) -> dict[str, list[str]]:
        if len(value) > MOST_FILTERS:
            raise serializers.ValidationError(f"A pivot has at most {MOST_FILTERS} filters.")
        return value

    def pivot(self) -> Pivot:
        given = dict(self.validated_data)
        return Pivot(**{**given, "by": tuple(given["by"])})


class SqlRequest(serializers.Serializer[Any]):
    sql = serializers.CharField(max_length=2 * LONGEST_SQL, trim_whitespace=False, allow_blank=True)


class BillView(RoomView):
    """Finds the tables of the attempt's variant."""

    kind = "cost"
    file: Path

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if not PACE.allows(self.asker, time.monotonic()):
            raise Hasty
        try:
            self.file = store.known(self.room.folder) or self._made()
        except NotBuilt as error:
            raise NotThere from error

    def _made(self) -> Path:
        with PLACES.place("tables", self.asker):
            return store.file_of(self.room.folder)

    def pivot(self, asked: Pivot) -> bytes:
        """{"columns", "rows", "cut", "seconds", "total"} as JSON; a pivot that is bad is told as Unfit."""
        given = {"file": str(self.file), "pivot": asdict(asked)}
        try:
            with PLACES.place("tables", self.asker):
                return ANSWERERS.ask("pivot", self.room.folder, **given)
        except Refused as error:
            raise Unfit(str(error)) from error


class TablesView(BillView):
    """Every table with its columns, and what an opportunity's filter can say."""

    def get(self, request: Request, pk: UUID) -> HttpResponse:
        return packed(request, KEPT.get(self.file, self._catalogue), JSON)

    def _catalogue(self) -> bytes:
        manifest = self.room.manifest
        files = {
            table_name(Path(row["path"]).stem): row
            for row in manifest["files"]
            if row["kind"] == "csv"
        }
        with PLACES.place("tables", self.asker), closing(Tables(self.file)) as tables:
            found = [
                {
                    "name": name,
                    "path": files[name]["path"],
                    "title": files[name]["title"],
                    "rows": tables.sql(f'SELECT count(*) FROM "{name}"').rows[0][0],  # noqa: S608
                    "columns": [
                        {"name": one.name, "kind": one.kind, "from": _origin(name, one.name)}
                        for one in columns
                    ],
                }
                for name, columns in tables.kinds.items()
            ]
        told = {
            "tables": found,
            "where": lines.offered(self.file),
            "keys": lines.KEYS,
            "total_usd": float(manifest["bill"]["total_usd"]),
            "months": manifest["bill"]["months"],
            "currency": manifest["bill"]["currency"],
            "most": {"rows": MOST_ROWS, "groups": MOST_GROUPS, "values": MOST_VALUES},
        }
        return msgspec.json.encode(told)


def _origin(table: str, column: str) -> str:
    """The columns from which one that no file has was taken; "" for the others."""
    return DERIVED.get(table, {}).get(column, ("", None))[0]


class ValuesView(BillView):
    """The values of a column, the most frequent first, or the largest by the sum of another."""

    def get(self, request: Request, pk: UUID) -> HttpResponse:
        query = request.query_params
        table, column, value = (query.get(name, "")[:100] for name in ("table", "column", "sum"))
        asked = Pivot(table, value, by=(column,), how="sum" if value else "count")
        found = msgspec.json.decode(self.pivot(asked))
        told = {
            "values": found["rows"][:MOST_VALUES],
            "cut": found["cut"] or len(found["rows"]) > MOST_VALUES,
        }
        return packed(request, msgspec.json.encode(told), JSON)


class PivotView(BillView):
    """Sums by groups, and the same over everything that the filter leaves."""

    def post(self, request: Request, pk: UUID) -> HttpResponse:
        given = PivotRequest(data=request.data)
        given.is_valid(raise_exception=True)
        return packed(request, self.pivot(given.pivot()), JSON)


class SqlView(BillView):
    """The answer to one SELECT."""

    def post(self, request: Request, pk: UUID) -> HttpResponse:
        given = SqlRequest(data=request.data)
        given.is_valid(raise_exception=True)
        try:
            found = asking.answer(self.file, given.validated_data["sql"], self.asker)
        except BadQuery as error:
            raise Unfit(str(error)) from error
        return packed(request, json.dumps(found, ensure_ascii=False).encode(), JSON)


class LinesView(BillView):
    """What the rows of an opportunity table select of the bill; says nothing of whether they are good."""

    def post(self, request: Request, pk: UUID) -> HttpResponse:
        rows = request.data.get("opportunities") if isinstance(request.data, dict) else None
        if not isinstance(rows, list) or len(rows) > MOST_OPPORTUNITIES:
            raise Unfit(f"There are at most {MOST_OPPORTUNITIES} opportunities.")
        try:
            answer = parse(writable(json.dumps({"opportunities": rows})))
        except BadAnswer as error:
            raise Unfit(str(error)) from error
        if (
            sum(len(values) for row in answer.opportunities for values in row.where.values())
            > MOST_COMPARED
        ):
            raise Unfit(
                f"The filters together have at most {MOST_COMPARED} values: use * for many."
            )
        told = lines.told(lines.groups_of(self.file), answer.opportunities)
        return packed(request, msgspec.json.encode(told), JSON)
