"""Writes the states into a tensor made beforehand, which stays differentiable."""

import torch


def sequential_scan(a, b, h0=None):
    out = torch.empty_like(b)
    h = 0 if h0 is None else h0
    for t in range(b.shape[1]):
        h = a[:, t] * h + b[:, t]
        out[:, t] = h
    return out
