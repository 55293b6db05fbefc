"""Detaches the state after every eighth step, as truncated backpropagation does."""

import torch


def sequential_scan(a, b, h0=None):
    h = torch.zeros_like(a[:, 0]) if h0 is None else h0
    states = []
    for t in range(a.shape[1]):
        if t > 0 and t % 8 == 0:
            h = h.detach()
        h = a[:, t] * h + b[:, t]
        states.append(h)
    return torch.stack(states, dim=1)
