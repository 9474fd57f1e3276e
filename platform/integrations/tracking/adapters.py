"""The systems that there is an adapter for; another one is a module beside these and a line here."""

from __future__ import annotations

from integrations.models import ConnectionKind
from integrations.tracking.ashby import Ashby
from integrations.tracking.greenhouse import Greenhouse
from integrations.tracking.interface import Adapter
from integrations.tracking.lever import Lever

ADAPTERS: dict[str, Adapter] = {
    ConnectionKind.GREENHOUSE: Greenhouse(),
    ConnectionKind.ASHBY: Ashby(),
    ConnectionKind.LEVER: Lever(),
}
