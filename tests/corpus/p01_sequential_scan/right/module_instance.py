"""The entry point is no function but an nn.Module, whose call runs the scan."""

import torch
from torch import nn


class Scan(nn.Module):
    def forward(self, a, b, h0=None):
        h = torch.zeros_like(a[:, 0]) if h0 is None else h0
        states = []
        for t in range(a.shape[1]):
            h = a[:, t] * h + b[:, t]
            states.append(h)
        return torch.stack(states, dim=1)


sequential_scan = Scan()
