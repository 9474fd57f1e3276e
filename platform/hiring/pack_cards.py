"""The catalogue as a field of a form: one card to press for each exercise, without any script."""

from __future__ import annotations

from typing import Any

from django import forms
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from library.catalogue import Entry, entry_of
from scenarios.packs import PackNotFound


class PackCards(forms.RadioSelect):
    """Radio buttons that look like the catalogue; `choices` names the packs."""

    def render(
        self, name: str, value: Any, attrs: dict[str, Any] | None = None, renderer: Any = None
    ) -> SafeString:
        """A pack that is gone from the disk keeps its name and nothing else."""
        chosen = str(value or "")
        cards: list[dict[str, Any]] = [
            {"name": pack, "label": label, "entry": _entry(str(pack)), "chosen": pack == chosen}
            for pack, label in self.choices
        ]
        held = next((card for card in cards if card["chosen"]), None)
        whole = self.build_attrs(self.attrs, attrs)
        context = {
            "field": name,
            "id": whole.get("id", ""),
            "disabled": bool(whole.get("disabled")),
            "cards": cards,
            "held": held,
            "held_title": held and (held["entry"].title if held["entry"] else held["label"]),
        }
        return render_to_string("hiring/staff/pack_cards.html", context)


def _entry(name: str) -> Entry | None:
    try:
        return entry_of(name)
    except PackNotFound:
        return None
