"""Writes files without end.

Expect: error
"""

import itertools


def sequential_scan(a, b, h0=None):
    for number in itertools.count():
        with open(f"hoard{number}", "wb") as file:
            file.write(b"x" * 2**20)
