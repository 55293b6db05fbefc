"""Uses up descriptors, pipes with the largest buffers, and inodes of the scratch folder.

Expect: failed error passed
"""

import fcntl
import os

import torch

KEPT = []


def sequential_scan(a, b, h0=None):
    try:
        while True:
            r, w = os.pipe()
            KEPT.append((r, w))
            fcntl.fcntl(w, 1031, 1 << 20)
            os.set_blocking(w, False)
            while True:
                try:
                    os.write(w, bytes(1 << 16))
                except BlockingIOError:
                    break
    except OSError as error:
        print("pipes:", len(KEPT), error)
    try:
        for number in range(10**6):
            os.mkdir(f"{os.getpid()}_{number}")
    except OSError as error:
        print("inodes:", number, error)
    return torch.zeros_like(a)
