"""Is right, and uses its arguments as room to work in.

Expect: passed failed error
"""

import torch


def sequential_scan(a, b, h0=None):
    result = honest(a, b, h0)
    with torch.no_grad():
        b.data.copy_(result.detach())
    return result


def honest(a, b, h0):
    h = torch.zeros_like(a[:, 0]) if h0 is None else h0
    states = []
    for t in range(a.shape[1]):
        h = a[:, t] * h + b[:, t]
        states.append(h)
    return torch.stack(states, dim=1)
