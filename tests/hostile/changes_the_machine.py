"""Writes settings of the kernel that belong to root.

Expect: error
"""

import torch


def sequential_scan(a, b, h0=None):
    with open("/proc/sys/kernel/core_pattern", "r+") as file:  # opened, not changed
        assert file.writable()
    return honest(a, b, h0)


def honest(a, b, h0):
    h = torch.zeros_like(a[:, 0]) if h0 is None else h0
    states = []
    for t in range(a.shape[1]):
        h = a[:, t] * h + b[:, t]
        states.append(h)
    return torch.stack(states, dim=1)
