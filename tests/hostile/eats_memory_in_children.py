"""Lets several children fill memory, each within its own limit.

Expect: memory timeout
"""

import os
import time


def sequential_scan(a, b, h0=None):
    for _ in range(8):
        if os.fork() == 0:
            hoard = bytearray(100 * 2**20)
            for place in range(0, len(hoard), 4096):
                hoard[place] = 1
            time.sleep(3600)
    time.sleep(3600)
