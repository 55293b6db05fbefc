"""Starts again from zeros at every eighth step."""

import torch


def sequential_scan(a, b, h0=None):
    h = torch.zeros_like(a[:, 0]) if h0 is None else h0
    states = []
    for t in range(a.shape[1]):
        if t and t % 8 == 0:
            h = torch.zeros_like(h)
        h = a[:, t] * h + b[:, t]
        states.append(h)
    return torch.stack(states, dim=1)
