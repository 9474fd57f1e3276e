"""What candidates' templates need to say whole sentences: moments, whom to write to, which language this is."""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256
from urllib.parse import urlencode

from django import template
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timezone import localtime
from django.utils.translation import get_language, gettext, pgettext

from headnode.language import words_files
from hiring.language_choices import ENGLISH
from hiring.languages import of_answers
from hiring.models import Opening

register = template.Library()


@register.filter
def instant(at: datetime | None) -> SafeString | str:
    """A moment that the page's script says in the reader's own zone; without it, in UTC."""
    if not at:
        return ""
    local = localtime(at)
    form = pgettext("date and time", "j F Y, H:i")
    return format_html(
        '<time datetime="{}" data-local>{} UTC</time>', local.isoformat(), date_format(local, form)
    )


@register.filter
def answer_languages(opening: Opening) -> str:
    """As the opening says them; English by default."""
    return of_answers(opening)


@register.filter
def translated(text: object) -> str:
    """A sentence or word that was written elsewhere, where it has a translation."""
    return gettext(str(text)) if text else ""


@register.simple_tag
def whom(contact_email: str) -> SafeString | str:
    """Whom to write to: the address to press, or whoever sent the invitation."""
    if not contact_email:
        return gettext("the person who invited you")
    return format_html('<a href="mailto:{0}">{0}</a>', contact_email)


@register.simple_tag
def page_language() -> str:
    """For the page's lang attribute."""
    return "en-GB" if get_language() in (ENGLISH, None) else str(get_language())


@register.simple_tag
def script_words(parts: str = "") -> SafeString | str:
    """The words of the page's scripts, where they are not English as written.

    parts: folders whose scripts it shows besides what every page has, with commas.
    """
    language = page_language()
    if language == "en-GB":
        return ""
    words = b"".join(path.read_bytes() for path in words_files(language))
    mark = sha256(words).hexdigest()[:12]
    query = urlencode({"parts": parts, "of": f"{language}-{mark}"}, safe=",")
    return format_html('<script src="{}?{}"></script>', reverse("script-words"), query)
