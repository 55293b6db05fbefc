"""Annotated with Optional and Tensor in place of jaxtyping, as strings."""

from __future__ import annotations

from typing import Optional

import torch
from torch import Tensor


def sequential_scan(a: Tensor, b: Tensor, h0: Optional[Tensor] = None) -> Tensor:  # noqa: UP045
    assert a.shape == b.shape
    h: Tensor = torch.zeros_like(a[:, 0]) if h0 is None else h0
    states: list[Tensor] = []
    for t in range(a.shape[1]):
        h = a[:, t] * h + b[:, t]
        states.append(h)
    return torch.stack(states, dim=1)
