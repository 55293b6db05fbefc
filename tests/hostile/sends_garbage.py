"""Sends bytes that are no message.

Expect: error
"""

import os


def sequential_scan(a, b, h0=None):
    os.write(200, bytes(range(128, 256)) * 512)
    os.write(200, b"\x00\x00\x00\x05\x01\xdd\xff\xff\xff" * 1000)
