"""Returns its argument, changed in place.

Expect: failed passed
"""


def sequential_scan(a, b, h0=None):
    b.data.mul_(2)
    return b
