"""What an opening and its exercises choose among."""

from __future__ import annotations

from django.db import models


class Calibration(models.TextChoices):
    """What happens where somebody scores who has not scored the exercise's exemplars."""

    OFF = "off", "Nothing"
    WARN = "warn", "They and whoever assigns them are told"


class OwnWork(models.TextChoices):
    """When candidates are asked a few questions about their own answer."""

    OFF = "off", "Never"
    AFTER = "after", "After they handed in"
    LIVE = "live", "In the live interview"


class Mode(models.TextChoices):
    TAKE_HOME = "take_home", "Take-home link"
    ON_SITE = "on_site", "On site"
    LIVE = "live", "Live, remote"


class Assistants(models.TextChoices):
    """What candidates may do with an AI assistant; what they read of it is the exercise's own text."""

    FORBIDDEN = "forbidden", "Not allowed"
    DECLARED = "declared", "Allowed, and said in the answer"
    OPEN = "open", "Allowed, nothing has to be said"
    PROVIDED = "provided", "Provided in the workspace, and recorded"


class AnswerForm(models.TextChoices):
    """What an automation exercise asks for; people score both, only code is also run."""

    CODE = "code", "Working code"
    PSEUDOCODE = "pseudocode", "Pseudocode or a written design"
