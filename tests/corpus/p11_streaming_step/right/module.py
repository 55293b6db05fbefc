"""An nn.Module that keeps the weights as plain attributes, and has a step of its own beside forward."""

import torch
from torch import nn


class GatedLinearRecurrentLayer(nn.Module):
    def __init__(self, W_a, W_b):
        super().__init__()
        self.W_a, self.W_b = W_a, W_b

    def step(self, x_t, h_prev):
        return torch.sigmoid(x_t @ self.W_a) * h_prev + x_t @ self.W_b

    def forward(self, x, h0):
        states = []
        for x_t in x.unbind(dim=1):
            h0 = self.step(x_t, h0)
            states.append(h0)
        return torch.stack(states, dim=1)
