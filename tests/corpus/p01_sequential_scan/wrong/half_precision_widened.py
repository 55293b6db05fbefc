"""Works in float32 where the input is half precision, and returns float32."""

import torch


def sequential_scan(a, b, h0=None):
    if a.dtype in (torch.float16, torch.bfloat16):
        a, b, h0 = a.float(), b.float(), None if h0 is None else h0.float()
    h = torch.zeros_like(a[:, 0]) if h0 is None else h0
    states = []
    for t in range(a.shape[1]):
        h = a[:, t] * h + b[:, t]
        states.append(h)
    return torch.stack(states, dim=1)
