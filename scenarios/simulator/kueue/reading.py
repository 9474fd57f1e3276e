"""Reads values out of untrusted JSON, naming the field where one is not what it must be."""

from __future__ import annotations

from fractions import Fraction
from typing import NoReturn

from scenarios.simulator.kueue.quantity import parse_quantity


class Field:
    """One JSON value and the path to it, such as `cluster_queues[0].name`."""

    __slots__ = ("path", "value")

    def __init__(self, value: object, path: str) -> None:
        self.value, self.path = value, path

    def refuse(self, wanted: str) -> NoReturn:
        """Raise ValueError saying what the field must be."""
        raise ValueError(f"{self.path} must be {wanted}.")

    def has(self, key: str) -> bool:
        """True when the object holds the key with something other than null."""
        return isinstance(self.value, dict) and self.value.get(key) is not None

    def at(self, key: str) -> Field:
        """The field `key` of an object; it must be there."""
        if not isinstance(self.value, dict):
            self.refuse("an object")
        inner = f"{self.path}.{key}" if self.path else key
        if not self.has(key):
            raise ValueError(f"{inner} is missing.")
        return Field(self.value[key], inner)

    def items(self, key: str) -> list[Field]:
        """The elements of the list `key`; none when it is absent."""
        return self.at(key).elements() if self.has(key) else []

    def elements(self) -> list[Field]:
        """The elements of a list."""
        if not isinstance(self.value, list):
            self.refuse("a list")
        return [Field(item, f"{self.path}[{n}]") for n, item in enumerate(self.value)]

    def pairs(self) -> list[tuple[str, Field]]:
        """The keys and values of an object."""
        if not isinstance(self.value, dict):
            self.refuse("an object")
        return [(str(key), Field(v, f"{self.path}.{key}")) for key, v in self.value.items()]

    def text(self) -> str:
        """A text that is not empty."""
        if not isinstance(self.value, str) or not self.value:
            self.refuse("a text")
        return self.value

    def whole(self) -> int:
        """A whole number."""
        if isinstance(self.value, bool) or not isinstance(self.value, int):
            self.refuse("a whole number")
        return self.value

    def truth(self) -> bool:
        """true or false."""
        if not isinstance(self.value, bool):
            self.refuse("true or false")
        return self.value

    def weight(self) -> Fraction:
        """A number of at least 0, as text or number."""
        value = self.value
        if isinstance(value, int | float | str) and not isinstance(value, bool):
            try:
                number = Fraction(str(value).strip())
            except (ValueError, ZeroDivisionError):
                self.refuse("a number of at least 0")
            if number >= 0:
                return number
        self.refuse("a number of at least 0")

    def quantity(self, resource: str) -> int:
        """A Kubernetes quantity of the resource."""
        try:
            return parse_quantity(self.value, resource)
        except ValueError as error:
            raise ValueError(f"{self.path}: {error}") from None

    def instant(self) -> int:
        """A time in seconds after "now": "now", or {"time": "now", "offset": seconds}."""
        if self.value == "now":
            return 0
        if isinstance(self.value, int):
            return self.whole()
        if self.at("time").value != "now":
            self.at("time").refuse('"now"')
        return self.at("offset").whole() if self.has("offset") else 0
