"""Answers at once, while a child goes on filling memory.

Expect: memory failed passed
"""

import os

import torch

if os.fork() == 0:
    for _ in range(20):
        if os.fork() == 0:
            hoard = [bytearray(b"x" * 2**20) for _ in range(100)]
            os.read(os.pipe()[0], 1)
    os.read(os.pipe()[0], 1)


def sequential_scan(a, b, h0=None):
    return torch.zeros_like(a)
