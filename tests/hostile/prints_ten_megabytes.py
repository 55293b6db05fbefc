"""Prints ten megabytes and answers wrongly.

Expect: failed passed
"""

import sys

import torch


def sequential_scan(a, b, h0=None):
    sys.stdout.write("\u202e\x1b[31mPASSED\x00" * 800_000)
    return torch.zeros_like(a)
