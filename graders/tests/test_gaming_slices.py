"""Programs that file papers in place of doing the work of mig-sharing."""

from __future__ import annotations

import pytest

from graders.kinds import grade
from graders.tests.local_backend import LocalBackend
from scenarios.packs import load_pack

PACK = load_pack("automation/mig-sharing")
EMPTY_BILLS = '''"""Files an empty bill for every tenant and hour, and does nothing else."""

import headnode_sdk
from headnode_sdk import ApiError

cluster = headnode_sdk.connect()
filed = set()
while cluster.tick():
    hour = cluster.now // 3600 - 1
    try:
        for tenant in sorted({one.tenant for one in cluster.services()}):
            if hour >= 0 and (tenant, hour) not in filed:
                cluster.bill(tenant, hour, {})
                filed.add((tenant, hour))
    except ApiError:
        pass
'''


@pytest.mark.by_day("level", ["mid"])
@pytest.mark.parametrize("level", PACK.levels)
def test_empty_bills_alone_are_worth_next_to_nothing(level: str) -> None:
    files = PACK.template(level) | {PACK.entry: EMPTY_BILLS}
    report = grade(PACK.name, level, 8405, files, LocalBackend(), hidden=2)
    assert report.status == "done"
    assert report.score is not None
    assert report.score <= 0.1
