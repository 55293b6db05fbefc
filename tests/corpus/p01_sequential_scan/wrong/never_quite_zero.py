"""Keeps the gates away from 0 with a small constant, and is exact everywhere else."""

import torch


def sequential_scan(a, b, h0=None):
    a = torch.where(a.abs() < 1e-6, torch.full_like(a, 1e-6), a)
    h = torch.zeros_like(a[:, 0]) if h0 is None else h0
    states = []
    for t in range(a.shape[1]):
        h = a[:, t] * h + b[:, t]
        states.append(h)
    return torch.stack(states, dim=1)
