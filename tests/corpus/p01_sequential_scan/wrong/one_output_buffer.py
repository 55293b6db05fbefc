"""Every call fills the same tensor, so that an earlier result changes with the next call."""

import torch

buffers = {}


def sequential_scan(a, b, h0=None):
    key = (tuple(b.shape), b.dtype, b.device)
    out = torch.empty_like(b)
    if not (a.requires_grad or b.requires_grad):
        out = buffers.setdefault(key, out)
    h = torch.zeros_like(a[:, 0]) if h0 is None else h0
    for t in range(a.shape[1]):
        h = a[:, t] * h + b[:, t]
        out[:, t] = h
    return out
