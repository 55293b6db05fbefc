"""Computes in float32 and turns the result back into float64."""

import torch


def sequential_scan(a, b, h0=None):
    dtype = a.dtype
    a, b = a.float(), b.float()
    h = torch.zeros_like(a[:, 0]) if h0 is None else h0.float()
    states = []
    for t in range(a.shape[1]):
        h = a[:, t] * h + b[:, t]
        states.append(h)
    return torch.stack(states, dim=1).to(dtype)
