"""forward writes into a tensor made beforehand."""

import torch


class GatedLinearRecurrentLayer:
    def __init__(self, W_a, W_b):
        self.W_a = W_a
        self.W_b = W_b

    def step(self, x_t, h_prev):
        return torch.sigmoid(x_t @ self.W_a) * h_prev + x_t @ self.W_b

    def forward(self, x, h0):
        out = x.new_empty(*x.shape[:2], self.W_a.shape[1])
        h = h0.clone()
        for t in range(x.shape[1]):
            h = self.step(x[:, t], h)
            out[:, t] = h
        return out
