"""Fills the disk in a folder whose path is too long to be looked at by its name: 300 MB where 64 are allowed.

Expect: failed error passed
Held by: process
"""

import os

import torch


def sequential_scan(a, b, h0=None):
    name = "d" * 250
    descriptor = os.open(".", os.O_RDONLY)
    for _ in range(20):
        try:
            os.mkdir(name, dir_fd=descriptor)
        except FileExistsError:
            pass
        below = os.open(name, os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = below
    block = bytes(1 << 20)
    written = 0
    for number in range(10):
        file = os.open(f"{os.getpid()}_{number}", os.O_WRONLY | os.O_CREAT, dir_fd=descriptor)
        for _ in range(30):
            written += os.write(file, block)
        os.close(file)
    if written > 100 << 20:
        raise RuntimeError(f"LEAK: wrote {written >> 20} MB")
    return torch.zeros_like(a)
