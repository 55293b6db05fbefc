"""A tensor whose storage is changed by a thread while it is read, until it fits.

Expect: failed error passed crash timeout
"""

import threading

import torch


def sequential_scan(a, b, h0=None):
    y = torch.zeros_like(a)

    def later():
        while True:
            y.copy_(torch.rand_like(y))

    for _ in range(4):
        threading.Thread(target=later, daemon=True).start()
    return y
