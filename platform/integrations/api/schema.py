"""The API's description, OpenAPI 3.1: what every operation has in common, and how one leads to the next."""

from __future__ import annotations

from functools import cache
from typing import Any

from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter

from integrations.api import idempotency
from integrations.api.problems import MEDIA_TYPE, PREFIX

PROBLEM = {
    "type": "object",
    "description": "Problem details, RFC 9457.",
    "required": ["type", "title", "status", "detail", "code"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "One sentence that says what to do."},
        "code": {"type": "string"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["field", "detail"],
                "properties": {"field": {"type": "string"}, "detail": {"type": "string"}},
            },
        },
    },
}
WORDS = {
    "400": "Something in the request cannot be used.",
    "401": "No token, or one that opens nothing.",
    "403": "The token's scopes or its person's role do not reach so far.",
    "404": "Nothing here that this token may see.",
    "409": "It cannot be done as things are now.",
    "413": "The request is too large.",
    "415": "The request is not JSON.",
    "422": "The Idempotency-Key was used for another request.",
    "429": "Too many requests: Retry-After says when to ask again.",
}
LINKS = {
    ("/api/v1/candidates", "post", "201"): ("candidates_retrieve", "id", "$response.body#/id"),
    ("/api/v1/webhooks", "post", "201"): ("webhooks_retrieve", "id", "$response.body#/id"),
    ("/api/v1/invitations", "post", "201"): (
        "invitations_retrieve",
        "id",
        "$response.body#/invitations/0/id",
    ),
}
LISTS = {
    "openings": ["openings_retrieve"],
    "candidates": ["candidates_retrieve"],
    "invitations": ["invitations_retrieve", "invitations_remind", "invitations_revoke"],
    "attempts": ["attempts_retrieve", "attempts_report"],
    "submissions": ["submissions_retrieve"],
    "gradings": ["gradings_retrieve"],
    "scorecards": ["scorecards_retrieve"],
    "questions": ["questions_retrieve"],
    "webhooks": ["webhooks_retrieve", "webhooks_stop"],
    "deliveries": ["deliveries_retrieve", "deliveries_replay"],
    "audit": ["audit_retrieve"],
}
"""Of each list: operations on one of its rows."""


class ApiSchema(AutoSchema):
    """Adds what is so everywhere: problems, and the key by which a request counts once."""

    view: Any

    def get_override_parameters(self) -> list[Any]:
        if self.method != "POST" or self.view.action in getattr(self.view, "never_once", ()):
            return []
        return [
            OpenApiParameter(
                idempotency.HEADER,
                str,
                OpenApiParameter.HEADER,
                description="Sent twice with the same key and body, it counts once; kept for a day.",
            )
        ]

    def get_operation_id(self) -> str:
        return f"{self.view.resource}_{self.view.action}"

    def get_tags(self) -> list[str]:
        return [self.view.resource]

    def get_operation(self, *args: Any, **kwargs: Any) -> dict[str, Any] | None:
        operation = super().get_operation(*args, **kwargs)
        if operation is None:
            return None
        codes = {"400", "401", "403", "429"}
        if "{" in self.path:
            codes.add("404")
        if self.method in ("POST", "PATCH"):
            codes |= {"409", "413", "415", "422"}
        for code in sorted(codes - set(operation["responses"])):
            operation["responses"][code] = {"$ref": f"#/components/responses/Problem{code}"}
        return operation


def only_ours(endpoints: list[Any], **kwargs: Any) -> list[Any]:
    """Without the candidates' own pages' endpoints, which are no public interface."""
    return [row for row in endpoints if row[0].startswith(PREFIX)]


def linked(result: dict[str, Any], generator: Any, **kwargs: Any) -> dict[str, Any]:
    """Problems as components; links from an answer to the operations that it leads to."""
    components = result.setdefault("components", {})
    components.setdefault("schemas", {})["Problem"] = PROBLEM
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    components["responses"] = {
        f"Problem{code}": {"description": words, "content": content}
        for code, words in WORDS.items()
    }
    for (path, method, code), (operation, name, where) in LINKS.items():
        _link(result, path, method, code, operation, name, where)
    for resource, operations in LISTS.items():
        for operation in operations:
            where = "$response.body#/results/0/id"
            _link(result, f"{PREFIX}{resource}", "get", "200", operation, "id", where)
    return result


def _link(
    result: dict[str, Any],
    path: str,
    method: str,
    code: str,
    operation: str,
    name: str,
    where: str,
) -> None:
    answer = result["paths"][path][method]["responses"][code]
    link = {"operationId": operation, "parameters": {name: where}}
    answer.setdefault("links", {})[operation] = link


@cache
def document() -> dict[str, Any]:
    """The whole description; it changes with the program alone."""
    found: dict[str, Any] = SchemaGenerator().get_schema(  # type: ignore[no-untyped-call]
        request=None, public=True
    )
    return found


@require_safe
def schema(request: HttpRequest) -> JsonResponse:
    """Open to everybody: it says what could be asked, and nothing of anybody."""
    return JsonResponse(document())
