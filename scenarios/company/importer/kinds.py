"""Which kind of work a job is, from what it is called and what it took: a rule that a person can check."""

from __future__ import annotations

import re
from functools import lru_cache

_HOUR = 3600
_CALLED = (
    (
        "interactive",
        r"interactive|notebook|jupyter|\bdev|debug|salloc|vscode|\bbash\b|\bide\b|shell",
    ),
    ("inference", r"infer|serv(e|ing)|vllm|triton|endpoint|\bapi\b|deploy"),
    ("fine_tuning", r"fine.?tun|\bsft\b|lora|\bdpo\b|\brlhf\b|align|\bft\b|instruct"),
    (
        "batch",
        r"\beval|batch|\bprep|preproc|\betl\b|convert|embed|data|render|score|dedup|tokeni[sz]",
    ),
    ("training", r"train|pre.?train|\bfsdp\b|nccl|llm|\bddp\b"),
)
_WORDS = tuple((kind, re.compile(words)) for kind, words in _CALLED)
RULE = (
    "A job counts as what its name, partition or QOS says (notebook, serve, finetune, eval, train); else "
    "eight GPUs or more are training, up to two GPUs for less than an hour interactive, the rest batch."
)


def kind_of(words: tuple[str, ...], gpus: float, seconds: int) -> str:
    """One of the profile's job classes."""
    if called := _called(words):
        return called
    if gpus >= 8:
        return "training"
    return "interactive" if gpus <= 2 and seconds < _HOUR else "batch"


@lru_cache(maxsize=65_536)
def _called(words: tuple[str, ...]) -> str:
    text = " ".join(words)[:400].casefold().replace("_", " ").replace("-", " ")
    return next((kind for kind, pattern in _WORDS if pattern.search(text)), "")
