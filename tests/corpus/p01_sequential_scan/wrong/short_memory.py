"""Forgets whatever lies more than 32 steps back, as a convolution with a kernel of 32 does."""

import torch


def sequential_scan(a, b, h0=None):
    length, out = a.shape[1], []
    for t in range(length):
        first = max(0, t - 31)
        h = torch.zeros_like(a[:, 0])
        if first == 0 and h0 is not None:
            h = h0
        for s in range(first, t + 1):
            h = a[:, s] * h + b[:, s]
        out.append(h)
    return torch.stack(out, dim=1)
