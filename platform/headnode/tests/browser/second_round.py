"""A workspace as it looks while an answer is revised, without playing the first round."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Route

# A kept connection may close under a request: the browser then asks again, its stand-in only if told.
AGAIN = 3
FEEDBACK = {"strength": "Clear.", "improvement": "Weigh the costs."}


def in_revision(feedback: dict[str, Any]) -> Callable[[Route], None]:
    """Serves the workspace as that of a revision that `feedback` opened."""

    def serve(route: Route) -> None:
        answer = route.fetch(max_retries=AGAIN)
        text = answer.text().replace('"round": 1, "elapsed_s"', '"round": 2, "elapsed_s"', 1)
        text = text.replace('"feedback": null', f'"feedback": {json.dumps(feedback)}', 1)
        route.fulfill(response=answer, body=text)

    return serve
