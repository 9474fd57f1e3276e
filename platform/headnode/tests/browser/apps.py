"""What a site under test does otherwise than one in use."""

from __future__ import annotations

import fcntl
import os

from django.apps import AppConfig


class SameVariants(AppConfig):
    """Draws seeds in one fixed order, whichever of the site's processes draws next."""

    name = "headnode.tests.browser"
    label = "site_under_test"

    def ready(self) -> None:
        from assessments.prepared import drawing

        drawing.draw_seed = draw


def draw() -> int:
    """The site's next seed. Its data folder keeps how many were drawn."""
    from django.conf import settings

    from headnode.tests.variants import seed

    with (settings.DATA / "seeds-drawn").open("ab") as drawn:
        fcntl.flock(drawn, fcntl.LOCK_EX)
        drawn.write(b".")
        drawn.flush()
        return seed("site", os.fstat(drawn.fileno()).st_size)
