"""A named tuple with methods."""

from typing import NamedTuple

import torch
from torch import Tensor


class GatedLinearRecurrentLayer(NamedTuple):
    W_a: Tensor
    W_b: Tensor

    def step(self, x_t, h_prev):
        return torch.sigmoid(x_t @ self.W_a) * h_prev + x_t @ self.W_b

    def forward(self, x, h0):
        h, states = h0, []
        for t in range(x.shape[1]):
            h = self.step(x[:, t], h)
            states.append(h)
        return torch.stack(states, dim=1)
