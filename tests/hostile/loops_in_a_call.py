"""Never returns.

Expect: timeout
"""


def sequential_scan(a, b, h0=None):
    while True:
        pass
