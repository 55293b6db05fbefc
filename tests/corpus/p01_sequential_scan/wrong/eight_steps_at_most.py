"""Computes eight steps at most and leaves zeros after them."""

import torch


def sequential_scan(a, b, h0=None):
    h = torch.zeros_like(a[:, 0]) if h0 is None else h0
    out = torch.zeros_like(b)
    for t in range(min(8, a.shape[1])):
        h = a[:, t] * h + b[:, t]
        out[:, t] = h
    return out
