"""Operates the cluster for a quarter. Started as it is by Run and by the graders."""

from __future__ import annotations

import headnode_sdk


def main() -> None:
    cluster = headnode_sdk.connect()
    while cluster.tick():
        pass


if __name__ == "__main__":
    main()
