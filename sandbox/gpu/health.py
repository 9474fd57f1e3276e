"""Says from one reading whether a card can be trusted with a run; keeps no record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sandbox.gpu.reading import Reading

# H100 and H200 show 87 °C as their highest operating temperature: current value plus margin in
# `nvidia-smi -q`. Used only where a card gives no threshold of its own.
HOT_C = 87.0

# Numbers that speak of the card rather than of the program on it: NVIDIA's Xid catalogue. 13, 31,
# 43 and 45 are what a faulty program causes on a sound card, 154 only announces an action.
CARD_XIDS = {
    48: "an uncorrectable memory error",
    61: "a halt of its micro-controller",
    62: "a halt of its micro-controller",
    63: "a memory row that waits to be remapped",
    64: "a memory row that could not be remapped",
    74: "an NVLink error",
    79: "its loss from the bus",
    92: "a high rate of memory errors",
    94: "an uncorrectable memory error, contained",
    95: "an uncorrectable memory error, not contained",
    119: "a time-out of its system processor",
    120: "an error of its system processor",
    140: "an uncorrectable memory error",
    143: "a failed start",
}


@dataclass(frozen=True)
class Fault:
    """Why a card must not be used. `reason` is one sentence for a person."""

    code: Literal["lost", "hot", "ecc", "remap", "xid"]
    reason: str


def judge(
    reading: Reading,
    *,
    xids: tuple[int, ...] = (),
    ecc_accepted: int = 0,
    hot_c: float | None = None,
) -> Fault | None:
    """The gravest fault, or None.

    `ecc_accepted` is the count of uncorrectable errors somebody has put the card back with.
    `hot_c` overrides the card's own slowdown threshold, in degrees Celsius.
    """
    if reading.lost:
        return Fault("lost", f"The card is gone: {reading.lost}.")
    return _errors(reading, xids, ecc_accepted) or _heat(reading, hot_c)


def _errors(reading: Reading, xids: tuple[int, ...], ecc_accepted: int) -> Fault | None:
    grave = next((xid for xid in xids if xid in CARD_XIDS), None)
    if grave is not None:
        return Fault("xid", f"The driver reported {CARD_XIDS[grave]} (Xid {grave}).")
    count = reading.ecc_uncorrected or 0
    if count > ecc_accepted:
        return Fault(
            "ecc",
            f"The card counts {count} uncorrectable memory errors since the driver was loaded; "
            f"{ecc_accepted} are accepted.",
        )
    if reading.remap_failed:
        return Fault("remap", "A broken memory row of the card could not be remapped.")
    if reading.remap_pending:
        return Fault("remap", "A broken memory row waits to be remapped: reset the card.")
    return None


def _heat(reading: Reading, hot_c: float | None) -> Fault | None:
    limit = hot_c or reading.slowdown_c or HOT_C
    if reading.temperature_c is not None and reading.temperature_c >= limit:
        return Fault(
            "hot", f"The card is at {reading.temperature_c:g} °C and slows down from {limit:g} °C."
        )
    if "hardware thermal" in reading.clock_reasons:
        return Fault("hot", "The card has slowed its clocks down because of its temperature.")
    return None
