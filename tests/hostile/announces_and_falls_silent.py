"""Announces a message of sixty megabytes and sends none of it.

Expect: timeout
"""

import os
import time


def sequential_scan(a, b, h0=None):
    os.write(200, (60 * 2**20).to_bytes(4, "big") + b"\x01")
    time.sleep(3600)
