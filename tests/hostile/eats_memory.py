"""Fills memory without end.

Expect: memory timeout
"""


def sequential_scan(a, b, h0=None):
    hoard = []
    while True:
        hoard.append(bytearray(8 * 2**20))
