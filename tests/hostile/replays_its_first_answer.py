"""Keeps its answers between calls and returns an old one.

Expect: passed failed error
"""

import torch

kept = {}


def sequential_scan(a, b, h0=None):
    return kept.setdefault(tuple(a.shape), honest(a, b, h0))


def honest(a, b, h0):
    h = torch.zeros_like(a[:, 0]) if h0 is None else h0
    states = []
    for t in range(a.shape[1]):
        h = a[:, t] * h + b[:, t]
        states.append(h)
    return torch.stack(states, dim=1)
