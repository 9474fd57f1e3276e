"""Which language a page is said in: staff's in English, candidates' as they, the opening or browser wish."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import brotli
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.translation.trans_real import DjangoTranslation
from django.views.decorators.cache import cache_control
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe
from django.views.i18n import JavaScriptCatalog

from hiring import languages
from hiring.language_choices import COOKIE

STAFF = ("/admin/", "/password/", "/report/", "/api/v1/", "/integrations/", "/metrics")
"""Where addresses begin that candidates have nothing to do with."""
LOCALE = Path(__file__).parent / "locale"
YEAR_S = 365 * 24 * 3600


def language_for(request: HttpRequest) -> str:
    if request.path.startswith(STAFF):
        return settings.LANGUAGE_CODE
    chosen = request.COOKIES.get(COOKIE, "")
    if languages.is_known(chosen):
        return chosen
    return translation.get_language_from_request(request)


def middleware(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    def answer(request: HttpRequest) -> HttpResponseBase:
        language = language_for(request)
        with translation.override(language):
            response = get_response(request)
        patch_vary_headers(response, ("Accept-Language",))
        response.headers.setdefault("Content-Language", language)
        return response

    return answer


def words_files(language: str) -> list[Path]:
    """The compiled words of the scripts: every page's, and those of parts."""
    return sorted((LOCALE / language / "LC_MESSAGES").glob("djangojs*.mo"))


class ScriptWords(JavaScriptCatalog):
    """What every page's scripts say, and those parts' that its address names."""

    packages = ["headnode"]

    def get_catalog(self) -> dict[str, Any]:
        found: dict[str, Any] = super().get_catalog()
        wanted = {f"{self.domain}_{part}" for part in self.request.GET.get("parts", "").split(",")}
        language = translation.get_language()
        for path in words_files(language):
            if path.stem in wanted:
                self.translation = DjangoTranslation(language, path.stem, [str(LOCALE)])
                found |= super().get_catalog()
        return found


_catalog = ScriptWords.as_view()


@lru_cache(maxsize=64)
def packed(words: bytes) -> bytes:
    """At Brotli's best, which takes 60 ms for 40 kB: once for each language and kind of page."""
    return bytes(brotli.compress(words))


@require_safe
@gzip_page
@cache_control(private=True, max_age=YEAR_S)
def script_words(request: HttpRequest) -> HttpResponseBase:
    """Django's catalogue for scripts, in the page's language; its address changes with the words."""
    words = _catalog(request)
    if isinstance(words, HttpResponse) and "br" in request.headers.get("Accept-Encoding", ""):
        words.content = packed(words.content)
        words.headers["Content-Encoding"] = "br"
    return words
