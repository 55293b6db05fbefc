"""Works time-first throughout and returns a transposed view, whose memory is not in order."""

import torch


def sequential_scan(a, b, h0=None):
    h = torch.zeros(a.shape[0], a.shape[2], dtype=a.dtype, device=a.device) if h0 is None else h0
    states = []
    for a_t, b_t in zip(a.transpose(0, 1), b.transpose(0, 1), strict=True):
        h = a_t * h + b_t
        states.append(h)
    return torch.stack(states).transpose(0, 1)
