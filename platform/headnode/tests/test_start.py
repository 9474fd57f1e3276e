"""The site starts without what only single pages need."""

from __future__ import annotations

import subprocess
import sys

import pytest

SLOW = ("scipy", "statsmodels", "authlib")
PROGRAM = f"""
import sys, django
django.setup()
import headnode.urls
print([name for name in {SLOW} if name in sys.modules])
"""


def test_start_imports_no_library_of_single_pages() -> None:
    answer = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == "[]"


@pytest.mark.nightly
def test_module_that_says_trouble_can_be_the_first_to_be_imported() -> None:
    """Django's checks import it before or after the addresses, as it happens."""
    subprocess.run(
        [sys.executable, "-c", "import django; django.setup(); import headnode.errors"], check=True
    )
