"""Writes the update with torch.addcmul and keeps the states in a dict until the end."""

import torch


def sequential_scan(a, b, h0=None):
    h = torch.zeros_like(a[:, 0]) if h0 is None else h0
    states = {}
    for t in range(a.size(1)):
        states[t] = h = torch.addcmul(b[:, t], a[:, t], h)
    return torch.stack(tuple(states.values()), 1)
