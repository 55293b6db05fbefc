"""Returns lists within lists.

Expect: error
"""


def sequential_scan(a, b, h0=None):
    value = []
    for _ in range(100_000):
        value = [value]
    return value
