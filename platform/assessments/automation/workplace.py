"""The editor, beside documents and a run panel."""

from __future__ import annotations

from assessments.kinds import Workplace

KIND = Workplace()
