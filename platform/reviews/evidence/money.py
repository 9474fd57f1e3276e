"""Filters for templates: amounts of an attempt's exercise in the money of its company."""

from __future__ import annotations

from django import template

from assessments import company
from assessments.models import Attempt
from scenarios.company.profile.money import in_currency

register = template.Library()


@register.filter
def currency(attempt: Attempt) -> str:
    """The company's currency as three letters."""
    return company.of_attempt(attempt).currency


@register.filter
def in_money_of(text: str, attempt: Attempt) -> str:
    """A text of ours, which says USD, in the company's currency; for nothing that a candidate wrote."""
    return in_currency(text, currency(attempt))
