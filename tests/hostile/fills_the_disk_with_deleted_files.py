"""Fills files that it has deleted already.

Expect: error
Held by: scratch landlock
"""

import os


def sequential_scan(a, b, h0=None):
    files = []
    while True:
        files.append(open("hoard", "wb"))  # noqa: SIM115
        os.unlink("hoard")
        files[-1].write(b"x" * (32 * 2**20))
