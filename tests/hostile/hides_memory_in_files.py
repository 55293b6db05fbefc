"""Fills files that exist in memory only.

Expect: error
Held by: scratch landlock
"""

import os


def sequential_scan(a, b, h0=None):
    hoard = []
    while True:
        hoard.append(os.memfd_create("hoard"))
        os.write(hoard[-1], b"x" * (32 * 2**20))
