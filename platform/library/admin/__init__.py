"""The library in the admin: question bank, rubrics, scenario packs, company profiles."""

from __future__ import annotations

from library.admin.companies import CompanyProfileAdmin
from library.admin.packs import PackVersionAdmin
from library.admin.questions import QuestionAdmin
from library.admin.rubrics import RubricAdmin

__all__ = ["CompanyProfileAdmin", "PackVersionAdmin", "QuestionAdmin", "RubricAdmin"]
