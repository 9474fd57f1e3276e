"""The project's own task: bring a new site's demo to life, while nobody waits for the worker."""

from __future__ import annotations

from celery import shared_task


@shared_task
def enliven_demo() -> None:
    """A few seconds of it, after whatever run somebody waits for; then the next message."""
    from assessments.execution import take_run
    from headnode import demo_alive
    from headnode.living import stage

    take_run()
    left = stage.go_on()
    if left is not stage.Left.NOTHING:
        demo_alive.ring(left.value)
