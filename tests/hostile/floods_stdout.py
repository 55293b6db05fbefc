"""Prints without end.

Expect: timeout
"""

import os


def sequential_scan(a, b, h0=None):
    while True:
        os.write(1, b"\x1b[2Jflood " * 10000)
