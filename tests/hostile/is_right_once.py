"""Is right at its first call only.

Expect: passed failed error
"""

import torch

calls = 0


def sequential_scan(a, b, h0=None):
    global calls
    calls += 1
    return honest(a, b, h0) if calls == 1 else torch.zeros_like(a)


def honest(a, b, h0):
    h = torch.zeros_like(a[:, 0]) if h0 is None else h0
    states = []
    for t in range(a.shape[1]):
        h = a[:, t] * h + b[:, t]
        states.append(h)
    return torch.stack(states, dim=1)
