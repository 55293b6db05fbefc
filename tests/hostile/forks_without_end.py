"""A fork bomb.

Expect: error timeout memory
"""

import os


def sequential_scan(a, b, h0=None):
    while True:
        try:
            os.fork()
        except OSError:
            continue
