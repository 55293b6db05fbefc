"""Sends the grader one byte of a reply at a time.

Expect: timeout
"""

import os
import time


def sequential_scan(a, b, h0=None):
    os.write(200, (1000).to_bytes(4, "big"))
    while True:
        os.write(200, b"\x01")
        time.sleep(0.02)
