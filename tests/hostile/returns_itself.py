"""Returns a list that holds itself.

Expect: error
"""


def sequential_scan(a, b, h0=None):
    value = []
    value.append(value)
    return value
