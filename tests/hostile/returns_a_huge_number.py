"""Returns an integer of a million digits.

Expect: error
"""


def sequential_scan(a, b, h0=None):
    return 1 << 4_000_000
