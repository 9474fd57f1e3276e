"""Beside a site under test, on its network: a mail server with sign-in, and a candidate who reads there.

python -m headnode.tests.operating.mailed_candidate SITE_URL CERTIFICATE PORT
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from aiosmtpd.controller import Controller

from headnode.tests.operating import test_whole_site as whole


def main(url: str, certificate: str, port: str) -> None:
    """Says "listening", then "answered" once the invitation came and the answer was handed in."""
    box = whole.Mailbox()
    controller = Controller(
        box,
        hostname="127.0.0.1",
        port=int(port),
        authenticator=box.signs_in,
        auth_required=True,
        auth_require_tls=False,  # on this machine itself, where a password may go in clear
    )
    controller.start()
    print("listening", flush=True)  # noqa: T201
    (mail,) = whole.wait("the invitation", lambda: box.taken[:1])
    found = re.search(rf"{re.escape(url)}/t/[\w-]+/", mail)
    assert found, mail
    site = whole.Hosts(Path("/nowhere"), {"SITE_URL": url, "SSL_CERT_FILE": certificate})
    whole.answered(site, found[0])
    print("answered", flush=True)  # noqa: T201
    controller.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
