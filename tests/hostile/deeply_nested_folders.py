"""Leaves thousands of folders, one inside the other, for the grader to remove.

Expect: failed error passed timeout
"""

import os

import torch


def sequential_scan(a, b, h0=None):
    os.makedirs("x", exist_ok=True)
    descriptor = os.open("x", os.O_RDONLY)
    for _ in range(3000):
        try:
            os.mkdir("x", dir_fd=descriptor)
        except OSError:
            pass
        below = os.open("x", os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = below
    os.close(descriptor)
    return torch.zeros_like(a)
