"""A site with nothing in it, for a benchmark that fills and reads it in its own process."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def own_database() -> Iterator[str]:
    """Set Django up on a folder and a migrated database, both gone at the end; gives the database's vendor.

    Models can be imported inside of it only.
    """
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HEADNODE_DATA"] = folder
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "headnode.settings")
        import django

        django.setup()
        from django.db import connection
        from django.test.utils import setup_test_environment

        setup_test_environment()
        name = connection.creation.create_test_db(verbosity=0, autoclobber=True)
        try:
            yield connection.vendor
        finally:
            connection.creation.destroy_test_db(name, verbosity=0)
