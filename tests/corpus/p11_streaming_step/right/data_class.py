"""A frozen dataclass."""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class GatedLinearRecurrentLayer:
    W_a: Tensor
    W_b: Tensor

    def step(self, x_t: Tensor, h_prev: Tensor) -> Tensor:
        return torch.sigmoid(x_t @ self.W_a) * h_prev + x_t @ self.W_b

    def forward(self, x: Tensor, h0: Tensor) -> Tensor:
        states = [h0]
        for t in range(x.shape[1]):
            states.append(self.step(x[:, t], states[-1]))
        return torch.stack(states[1:], dim=1)
