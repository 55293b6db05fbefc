"""Fills memory in small pieces and goes on when it is refused.

Expect: memory timeout
"""


def sequential_scan(a, b, h0=None):
    hoard = []
    while True:
        try:
            hoard.append(bytearray(2**16))
        except MemoryError:
            continue
