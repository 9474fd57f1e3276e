"""What a call can raise instead of answering; any other code, as "over", is a plain `ApiError`."""

from __future__ import annotations

import re

from ._channel import ApiError

__all__ = [
    "ApiError",
    "ApiTimeout",
    "Conflict",
    "InvalidRequest",
    "NotFound",
    "RateLimited",
    "specific",
]

_DIGITS = re.compile(r"\d+")


class ApiTimeout(ApiError):
    """No answer came in time. A write may or may not have taken effect; a read did nothing."""


class RateLimited(ApiError):
    """Too many calls, or the provider is throttling. Nothing was done.

    Wait for `retry_after` before the next try.
    """

    @property
    def retry_after(self) -> int:
        """Seconds of the cluster's time."""
        found = _DIGITS.search(self.message)
        return int(found.group()) if found else 60


class Conflict(ApiError):
    """The cluster's state does not allow it, for example releasing a node that holds jobs."""


class NotFound(ApiError):
    """There is no such pool, node or job now."""


class InvalidRequest(ApiError):
    """A parameter is of the wrong type or out of range; trying again will not help."""


_KINDS: dict[str, type[ApiError]] = {
    "timeout": ApiTimeout,
    "rate_limited": RateLimited,
    "conflict": Conflict,
    "not_found": NotFound,
    "invalid": InvalidRequest,
}


def specific(error: ApiError) -> ApiError:
    """The same error as the class that its code names."""
    return _KINDS.get(error.code, ApiError)(error.code, error.message)
