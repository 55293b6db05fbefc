"""Reads address 0 in a call.

Expect: crash
"""

import ctypes


def sequential_scan(a, b, h0=None):
    ctypes.string_at(0)
