"""Computes with Python floats, number by number: no gradients, and no device but the CPU."""

import torch


def sequential_scan(a, b, h0=None):
    batch, length, dim = a.shape
    out = torch.zeros_like(b)
    for i in range(batch):
        for k in range(dim):
            h = 0.0 if h0 is None else h0[i, k].item()
            for t in range(length):
                h = a[i, t, k].item() * h + b[i, t, k].item()
                out[i, t, k] = h
    return out
