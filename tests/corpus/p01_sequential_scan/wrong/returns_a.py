"""Returns a as it came."""


def sequential_scan(a, b, h0=None):
    return a
