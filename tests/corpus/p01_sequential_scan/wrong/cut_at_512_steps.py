"""Carries the state through 512 steps only."""

import torch


def sequential_scan(a, b, h0=None):
    h = torch.zeros_like(a[:, 0]) if h0 is None else h0
    states = []
    for t in range(a.shape[1]):
        h = a[:, t] * h + b[:, t] if t % 512 or t == 0 else b[:, t]
        states.append(h)
    return torch.stack(states, dim=1)
