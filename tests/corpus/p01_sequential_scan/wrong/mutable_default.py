"""Keeps the zeros of the first call in a default argument and changes them in place."""

import torch


def sequential_scan(a, b, h0=None, cache={}):  # noqa: B006
    if h0 is None:
        h0 = cache.setdefault((a.shape[0], a.shape[2], a.dtype, a.device), torch.zeros_like(a[:, 0]))
    h, states = h0, []
    for t in range(a.shape[1]):
        h = a[:, t] * h + b[:, t]
        states.append(h)
    h0.data.copy_(h.detach())
    return torch.stack(states, dim=1)
