"""Computes in float64 whatever it gets, and returns the dtype of a."""

import torch


def sequential_scan(a, b, h0=None):
    dtype = a.dtype
    a, b = a.double(), b.double()
    h = torch.zeros_like(a[:, 0]) if h0 is None else h0.double()
    states = []
    for t in range(a.shape[1]):
        h = a[:, t] * h + b[:, t]
        states.append(h)
    return torch.stack(states, dim=1).to(dtype)
