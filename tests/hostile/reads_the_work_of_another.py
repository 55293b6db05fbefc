"""Hands in the file that lies beside its own.

Expect: error
Held by: landlock view
Without the sandbox: passed
"""

from pathlib import Path


def sequential_scan(a, b, h0=None):
    names = {}
    exec((Path(__file__).parent / "of_another.py").read_text(encoding="utf-8"), names)
    return names["sequential_scan"](a, b, h0)
