"""Whether the assistant that exercises provide can be asked; no question is put to it."""

from __future__ import annotations

from collections.abc import Iterator

import requests
from django.conf import settings

from assessments.assistant.endpoint import Bearer
from headnode.doctor.findings import Finding, failed, warning, well
from hiring.models import Assistants, Exercise

PATIENCE_S = 5.0


def assistant() -> Iterator[Finding]:
    """The list of models answers with the key, or what is wrong; and no exercise promises what is not there."""
    promised = Exercise.objects.filter(
        assistants=Assistants.PROVIDED, opening__closed_at=None
    ).exists()
    if not settings.ASSISTANT_URL:
        if promised:
            cure = (
                "Set ASSISTANT_URL and ASSISTANT_MODEL, or choose another rule in those exercises."
            )
            said = "Exercises of open openings provide an assistant, and none is set up."
            yield failed("assistant", said, cure)
        else:
            yield well("assistant", "None is set up, and no exercise provides one.")
        return
    where = f"{settings.ASSISTANT_URL}/models"
    try:
        with requests.Session() as session:
            session.trust_env = False
            answer = session.get(where, auth=Bearer(), timeout=PATIENCE_S, allow_redirects=False)
    except (requests.RequestException, OSError) as error:
        cure = "Correct ASSISTANT_URL, and let this host reach it; candidates go on without it meanwhile."
        yield failed("assistant", f"{where} does not answer: {type(error).__name__}.", cure)
        return
    if answer.status_code in (401, 403):
        said = f"{where} refuses the key ({answer.status_code})."
        yield failed("assistant", said, "Correct ASSISTANT_KEY.")
    elif answer.status_code != 200:
        said = f"{where} answers with {answer.status_code}: not every server has that list."
        yield warning("assistant", said, "Try a question in an exercise of your own (a trial).")
    else:
        said = f"{settings.ASSISTANT_URL} answers; {settings.ASSISTANT_MODEL} is asked,"
        yield well("assistant", f"{said} {settings.ASSISTANT_TOKENS} tokens for each attempt.")
