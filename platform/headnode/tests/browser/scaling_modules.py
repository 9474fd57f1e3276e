"""A page with nothing but modules of the workspace on it: what they compute can be tested without a site."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, Route

from headnode.tests.browser.actors import browser
from headnode.tests.static_files import static_file

ORIGIN = "http://plan.test"
POLICY = {"content-security-policy": "default-src 'self'"}


@contextmanager
def module_page(script: str) -> Iterator[Page]:
    """A page that has run the module, under the policy that the site has."""

    def serve(route: Route) -> None:
        path = route.request.url.removeprefix(ORIGIN)
        if path == "/":
            html = '<script type="module" src="/page.js"></script>'
            route.fulfill(body=html, content_type="text/html", headers=POLICY)
        elif path == "/page.js":
            route.fulfill(body=f"{script}window.ready = true;", content_type="text/javascript")
        elif path.startswith("/static/"):
            file = static_file(path.removeprefix("/static/"))
            route.fulfill(body=file.read_text(), content_type="text/javascript")
        else:
            route.fulfill(status=404)

    with browser() as running:
        shown = running.new_page()
        shown.route(f"{ORIGIN}/**", serve)
        shown.goto(f"{ORIGIN}/")
        shown.wait_for_function("window.ready")
        yield shown
