"""Which language a page is said in: staff's in English, candidates' as they, the opening or browser wish."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import cache_control
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe
from django.views.i18n import JavaScriptCatalog

from hiring import languages

STAFF = ("/admin/", "/password/", "/report/", "/api/v1/", "/integrations/", "/metrics")
"""Where addresses begin that candidates have nothing to do with."""
LOCALE = Path(__file__).parent / "locale"
YEAR_S = 365 * 24 * 3600


def language_for(request: HttpRequest) -> str:
    if request.path.startswith(STAFF):
        return settings.LANGUAGE_CODE
    chosen = request.COOKIES.get(languages.COOKIE, "")
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


def words_file(language: str) -> Path:
    """The compiled words of the scripts."""
    return LOCALE / language / "LC_MESSAGES/djangojs.mo"


_catalog = JavaScriptCatalog.as_view(packages=["headnode"])


@require_safe
@gzip_page
@cache_control(private=True, max_age=YEAR_S)
def script_words(request: HttpRequest) -> HttpResponseBase:
    """Django's catalogue for scripts, in the page's language; its address changes with the words."""
    return _catalog(request)
