"""Returns b as it came."""


def sequential_scan(a, b, h0=None):
    return b
