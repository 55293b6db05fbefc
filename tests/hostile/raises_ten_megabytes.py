"""Raises an exception with a message of ten megabytes.

Expect: error
"""


def sequential_scan(a, b, h0=None):
    raise ValueError("\x1b]0;passed\x07\u202e" * 800_000)
