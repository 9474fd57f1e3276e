"""Ways to look good in cloud bursting by breaking its rules: none may pay."""

from __future__ import annotations

import pytest

from graders.goldens import unclipped
from graders.measures import total
from graders.tests.exploits import Changes, score, scored

PACK = "automation/cloud-bursting"
LEVELS = ("junior", "mid", "senior")

ANYBODY: Changes = (
    (
        '    if job.priority != "low" or job.protected or not job.checkpoint:\n        return False\n',
        "",
    ),
)
ANYWHERE: Changes = (
    (
        '    return not job.residency or (job.residency == "eu" and cloud.region.startswith("eu"))\n',
        "    return True\n",
    ),
)
ANY_TIME: Changes = (
    ("        if not fresh or backlog <= self.threshold:\n            return held\n", ""),
    (
        "            if backlog > self.threshold:\n                usd",
        "            if True:\n                usd",
    ),
)
AT_ANY_PRICE: Changes = (
    (
        "            and self.guess(job, cloud, primary)"
        " < min(limit * job.gpus * job.limit / 3600, room)\n",
        "",
    ),
    ("            if cheap and quote.usd <= room and", "            if"),
)
LAWLESS = ANYBODY + ANYWHERE + ANY_TIME + AT_ANY_PRICE
NEVER: Changes = (("        low = self.burst(low, backlog - started_at_once, clouds)\n", ""),)
URGENT_TOO: Changes = (
    (
        "        started_at_once = self.fill_primary(urgent, room)\n",
        "        urgent = self.burst(urgent, backlog, clouds)\n"
        "        started_at_once = self.fill_primary(urgent, room)\n",
    ),
)
CALLED_BACK: Changes = (
    (
        "        self.arrange(waiting, pending, backlog, clouds, stories)\n",
        """        for job in [job for job in waiting if job.priority == "high"]:
            if job.id not in self.sent and self.place(job, "primary"):
                for run in self.cluster.runs("primary"):
                    if run.key == self.key(job):
                        self.attempt(lambda run=run: self.cluster.cancel_run("primary", run.id))
        waiting = [job for job in waiting if job.priority != "high"]
        self.arrange(waiting, pending, backlog, clouds, stories)
""",
    ),
)
"""Places every urgent job once and calls it back at once."""


@pytest.mark.by_day("level,changes", [("junior", LAWLESS)])
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("changes", [LAWLESS, LAWLESS + URGENT_TOO], ids=["low", "all"])
def test_the_best_broker_without_rules_is_far_below_a_competent_one(
    level: str, changes: Changes
) -> None:
    lawless, honest = scored(PACK, level, "expert", changes), scored(PACK, level, "competent")
    assert (total(lawless) or 0.0) <= (total(honest) or 0.0) - 0.15
    assert unclipped(lawless) <= unclipped(honest) - 0.3
    for key in ("wait_low_p95", "cost", "decisions", "waste"):
        assert score(lawless, key) <= 0.1, key


# Every rule once; senior's regions and budgets are the same rules with more to read.
@pytest.mark.by_day("level,changes", [("mid", AT_ANY_PRICE)])
@pytest.mark.parametrize(
    ("level", "changes"),
    [
        pytest.param("mid", ANYWHERE, id="residency"),
        pytest.param("mid", ANY_TIME, id="threshold"),
        pytest.param("mid", AT_ANY_PRICE, id="price and cap"),
        pytest.param("senior", ANYWHERE, id="residency by region"),
        pytest.param("senior", AT_ANY_PRICE, id="price and budgets"),
    ],
)
def test_breaking_one_rule_costs_more_than_it_gains(level: str, changes: Changes) -> None:
    wrong, honest = scored(PACK, level, "expert", changes), scored(PACK, level, "expert")
    assert (total(wrong) or 0.0) <= (total(honest) or 0.0) - 0.08
    for key in ("decisions", "incidents"):
        assert score(wrong, key) < score(honest, key) - 0.05, key
    assert score(wrong, "wait_low_p95") <= score(honest, "wait_low_p95")


@pytest.mark.nightly
@pytest.mark.parametrize("level", LEVELS)
def test_urgent_jobs_that_are_called_back_at_once_were_not_taken_in(level: str) -> None:
    glanced, honest = scored(PACK, level, "expert", CALLED_BACK), scored(PACK, level, "expert")
    assert score(glanced, "incidents") <= score(honest, "incidents") - 0.1
    assert score(glanced, "wait_high_p95") <= 0.0
    assert (total(glanced) or 0.0) <= (total(honest) or 0.0) - 0.2


@pytest.mark.by_day("level", ["mid"])
@pytest.mark.parametrize("level", LEVELS)
def test_the_best_broker_that_never_bursts_has_missed_the_point(level: str) -> None:
    never = scored(PACK, level, "expert", NEVER)
    assert score(never, "states") > 0.9
    assert score(never, "incidents") > 0.9
    assert (total(never) or 0.0) <= 0.3
