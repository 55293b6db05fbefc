"""Carries the state in float32 for half precision, which is more exact, and rounds at the end."""

import torch


def sequential_scan(a, b, h0=None):
    wide = torch.float32 if a.dtype in (torch.float16, torch.bfloat16) else a.dtype
    h = torch.zeros_like(a[:, 0], dtype=wide) if h0 is None else h0.to(wide)
    states = []
    for t in range(a.shape[1]):
        h = a[:, t].to(wide) * h + b[:, t].to(wide)
        states.append(h)
    return torch.stack(states, dim=1).to(a.dtype)
