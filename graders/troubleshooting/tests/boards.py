"""Answers for tests, and what they come to on one variant that all tests share."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from graders.troubleshooting.answer import parse
from graders.troubleshooting.assess import assess
from graders.troubleshooting.reading import read
from graders.troubleshooting.truth import Truth, truth_of
from graders.written import Assessed, Corrections
from scenarios.company.profile import DEFAULT
from scenarios.troubleshooting.levels import QUIET

LEVEL, SEED = "senior", 7
"""Causes: ib-link-flapping, mtu-mismatch and ost-rebuild (which overlap), silent-slow-node.
Herrings: nccl-plugin-missing, login-node-patch, registry-certificate, row-remapped-settled, clock-ahead."""

Json = dict[str, Any]


def truth() -> Truth:
    return truth_of(DEFAULT, LEVEL, SEED, QUIET[LEVEL])


def card(claim: str, **more: Any) -> Json:
    """A supported hypothesis; its id is its claim unless given."""
    return {"id": claim[-60:], "claim": claim, "status": "supported", **more}


def answer(hypotheses: Sequence[Json] = (), **sections: str) -> Json:
    return written(sections, hypotheses)


def written(sections: Mapping[str, str], hypotheses: Sequence[Json] = ()) -> Json:
    return {"sections": dict(sections), "hypotheses": list(hypotheses)}


def assessed(found: Json, corrections: Corrections = ()) -> Assessed:
    """What the answer comes to on the shared variant."""
    return assess(reading(found), corrections)


def reading(found: Json) -> Json:
    return read(parse(json.dumps(found)), truth())


def measures(found: Json, corrections: Corrections = ()) -> Mapping[str, float]:
    return {one.measure.key: one.value for one in assessed(found, corrections).measures}


def row(found: Assessed, kind: str, key: str) -> Json:
    """The row of evidence of a cause or herring."""
    return next(one for one in found.evidence if one["kind"] == kind and one["key"] == key)


def state(found: Json, key: str, kind: str = "cause") -> str:
    return str(row(assessed(found), kind, key)["state"])


def node_of(key: str) -> str:
    """The node, switch or target on which a cause of the shared variant stands."""
    return next(iter(sorted(truth().spots[key].names)))
