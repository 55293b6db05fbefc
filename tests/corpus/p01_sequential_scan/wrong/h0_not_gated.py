"""Adds h0 to the first increment, where the first gate must scale it."""

import torch


def sequential_scan(a, b, h0=None):
    h = torch.zeros_like(a[:, 0])
    states = []
    for t in range(a.shape[1]):
        h = a[:, t] * h + b[:, t]
        if t == 0 and h0 is not None:
            h = h + h0
        states.append(h)
    return torch.stack(states, dim=1)
