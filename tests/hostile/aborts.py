"""Aborts the process in a call.

Expect: crash
"""

import os


def sequential_scan(a, b, h0=None):
    os.abort()
