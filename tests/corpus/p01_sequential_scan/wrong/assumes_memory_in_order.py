"""Reads the numbers as they lie in memory, which is right for contiguous tensors only."""

import torch


def in_memory_order(tensor):
    strides, step = [], 1
    for size in reversed(tensor.shape):
        strides.insert(0, step)
        step *= size
    return torch.as_strided(tensor, tensor.shape, strides)


def sequential_scan(a, b, h0=None):
    a, b = in_memory_order(a), in_memory_order(b)
    h = torch.zeros_like(a[:, 0]) if h0 is None else h0
    states = []
    for t in range(a.shape[1]):
        h = a[:, t] * h + b[:, t]
        states.append(h)
    return torch.stack(states, dim=1)
