"""Ends the process in a call, as if all were well.

Expect: crash
"""

import os


def sequential_scan(a, b, h0=None):
    os._exit(0)
