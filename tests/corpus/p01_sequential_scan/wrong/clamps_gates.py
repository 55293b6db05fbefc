"""Clamps the gates to [0, 1], as a decay usually is."""

import torch


def sequential_scan(a, b, h0=None):
    a = a.clamp(0, 1)
    h = torch.zeros_like(a[:, 0]) if h0 is None else h0
    states = []
    for t in range(a.shape[1]):
        h = a[:, t] * h + b[:, t]
        states.append(h)
    return torch.stack(states, dim=1)
