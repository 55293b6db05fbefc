"""Starts from an nn.Parameter and carries a named tuple, so that the result always requires gradients."""

from typing import NamedTuple

import torch
from torch import nn


class Carry(NamedTuple):
    state: torch.Tensor
    history: list


def sequential_scan(a, b, h0=None):
    start = nn.Parameter(torch.zeros_like(a[:, 0]))
    carry = Carry(start if h0 is None else start + h0, [])
    for t in range(a.shape[1]):
        state = a[:, t] * carry.state + b[:, t]
        carry = carry._replace(state=state, history=[*carry.history, state])
    return torch.stack(carry.history, dim=1)
