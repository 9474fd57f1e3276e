"""Looks on."""


def control(cluster):
    while cluster.tick():
        pass
