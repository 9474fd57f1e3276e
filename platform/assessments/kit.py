"""The kit of an attempt: what the candidate has in the workspace, to work on elsewhere."""

from __future__ import annotations

from assessments import answers, company
from assessments.models import Attempt
from graders.kit import kit_files, kit_name, zipped
from hiring.trials import practice_of
from library.packs import pack_of


def is_offered(attempt: Attempt) -> bool:
    """Whether a program is asked for that a simulated cluster can be played to anywhere; not in practice."""
    if practice_of(attempt.invitation):
        return False
    return attempt.exercise.is_run and "world" in pack_of(attempt.pack_version.name).data


def archive(attempt: Attempt) -> tuple[str, bytes]:
    """Name and bytes of the zip, from the newest draft and from files on disk; saves nothing."""
    pack, level = pack_of(attempt.pack_version.name), attempt.level
    body = answers.current_body(attempt)
    files = answers.in_order(answers.program(attempt, body), answers.template(attempt))
    name = kit_name(pack, level)
    profile = company.of_attempt(attempt)
    return name, zipped(
        name, kit_files(pack, level, attempt.seed, files, body["sections"], profile)
    )
