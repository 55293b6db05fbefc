"""Announces a message of four gigabytes.

Expect: error
"""

import os


def sequential_scan(a, b, h0=None):
    os.write(200, b"\xff\xff\xff\xff" + b"x" * 1000)
