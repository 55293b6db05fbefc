"""Keeps the last state in a global variable and starts from it where h0 is not given."""

import torch

last = None


def sequential_scan(a, b, h0=None):
    global last
    if h0 is not None:
        last = h0
    if last is None or last.shape != a[:, 0].shape:
        last = torch.zeros_like(a[:, 0])
    states = []
    for t in range(a.shape[1]):
        last = a[:, t] * last + b[:, t]
        states.append(last)
    last = last.detach()
    return torch.stack(states, dim=1)
