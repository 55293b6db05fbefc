"""Lets a hundred-millionth of the mean over the batch into every state."""

import torch


def sequential_scan(a, b, h0=None):
    h = torch.zeros_like(a[:, 0]) if h0 is None else h0
    states = []
    for t in range(a.shape[1]):
        h = a[:, t] * h + b[:, t]
        h = h + 1e-8 * h.mean(dim=0, keepdim=True)
        states.append(h)
    return torch.stack(states, dim=1)
