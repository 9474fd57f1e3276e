"""What all resources of the API share: who asks and may, one row or a page of them, refusals as problems."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar

from django.db.models import Model, QuerySet
from django.utils import timezone
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet

from accounts.models import User
from integrations.api.access import TokenAuthentication, TokenPermission, TokenThrottle, caller
from integrations.api.filters import KnownFilters
from integrations.api.paging import Pages
from integrations.api.problems import handler


class AlwaysJson(BaseContentNegotiation):
    """There is one form of answers, whatever a client says that it accepts."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        sent = (request.content_type or "").partition(";")[0].strip().lower()
        return next((parser for parser in parsers if parser.media_type == sent), None)

    def select_renderer(
        self, request: Request, renderers: Any, format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        return renderers[0], renderers[0].media_type


class Resource(GenericViewSet[Any], ABC):
    """Rows of one kind, as a token's person may see them.

    permission: what reading asks for; verbs: what an action asks for beyond it; scopes: actions that another
    resource's scope opens. `rows` is the query of the staff's own pages, and the only way to a row.
    """

    authentication_classes = [TokenAuthentication]
    permission_classes = [TokenPermission]
    throttle_classes = [TokenThrottle]
    renderer_classes = [JSONRenderer]
    filter_backends = [KnownFilters]
    content_negotiation_class = AlwaysJson
    pagination_class = Pages
    metadata_class = None

    model: ClassVar[type[Model]]
    resource: ClassVar[str]
    permission: ClassVar[str]
    verbs: ClassVar[Mapping[str, str]] = {}
    scopes: ClassVar[Mapping[str, str]] = {}
    ordering: ClassVar[str] = "-pk"

    @abstractmethod
    def rows(self, viewer: User) -> QuerySet[Any]:
        """Those that the viewer may see."""

    def seen(self, rows: Sequence[Any]) -> None:
        """Note whom the answer is about, where it is about somebody."""

    def get_queryset(self) -> QuerySet[Any]:
        if getattr(self, "swagger_fake_view", False):
            return self.model._default_manager.none()
        return self.rows(self.viewer)

    @property
    def viewer(self) -> User:
        return caller(self.request)

    @property
    def now(self) -> datetime:
        """One moment for the whole request."""
        if not hasattr(self, "_now"):
            self._now = timezone.now()
        return self._now

    def resource_of(self, action: str) -> str:
        return self.scopes.get(action, self.resource)

    def permission_of(self, action: str) -> str:
        return self.verbs.get(action, self.permission)

    def get_exception_handler(self) -> Callable[..., Any]:
        return handler

    def get_serializer_context(self) -> dict[str, Any]:
        fake = getattr(self, "swagger_fake_view", False)
        return {"viewer": None if fake else self.viewer, "now": self.now}

    def finalize_response(
        self, request: Request, response: Any, *args: Any, **kwargs: Any
    ) -> Response:
        """What a program's or a proxy's store keeps of an answer is out of date at once."""
        answer: Response = super().finalize_response(request, response, *args, **kwargs)
        answer.headers.setdefault("Cache-Control", "no-store")
        return answer

    def shown(self, rows: Any, *, many: bool = False) -> Any:
        """Rows as the API writes them."""
        return self.get_serializer(rows, many=many).data

    def checked(self, form: type[Any]) -> dict[str, Any]:
        """What was sent, read by the form. Raises ValidationError."""
        serializer = form(data=self.request.data)
        serializer.is_valid(raise_exception=True)
        return dict(serializer.validated_data)


class Readable(Resource):
    """A list in pages and single rows."""

    def list(self, request: Request) -> Response:
        page = self.paginate_queryset(self.filter_queryset(self.get_queryset()))
        rows = page or []
        self.seen(rows)
        return self.get_paginated_response(self.shown(rows, many=True))

    def retrieve(self, request: Request, pk: Any) -> Response:
        row = self.get_object()
        self.seen([row])
        return Response(self.shown(row))

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """A row is found by its key alone; a list by its filters as well."""
        return super().filter_queryset(queryset) if self.action == "list" else queryset
