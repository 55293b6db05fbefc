"""Closes every descriptor there is.

Expect: crash
"""

import os

import torch


def sequential_scan(a, b, h0=None):
    os.closerange(0, 1024)
    return torch.zeros_like(a)
