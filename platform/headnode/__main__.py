"""`python -m headnode` is the command `headnode`."""

from __future__ import annotations

import sys

from headnode.command import main

if __name__ == "__main__":
    sys.exit(main())
