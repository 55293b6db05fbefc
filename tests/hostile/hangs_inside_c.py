"""Never returns from a single call of C, in which no handler of Python runs.

Expect: timeout
"""


def sequential_scan(a, b, h0=None):
    return sum(iter(int, 1))
