"""Skips the multiplication where a gate is 0, which is right in value and cuts the gradient of that gate off."""

import torch


def sequential_scan(a, b, h0=None):
    h = torch.zeros_like(a[:, 0]) if h0 is None else h0
    states = []
    for t in range(a.shape[1]):
        h = torch.where(a[:, t] == 0, b[:, t], a[:, t] * h + b[:, t])
        states.append(h)
    return torch.stack(states, dim=1)
