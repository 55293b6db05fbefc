"""Every call of forward fills the same tensor, so that an earlier result changes with the next call."""

import torch


class GatedLinearRecurrentLayer:
    def __init__(self, W_a, W_b):
        self.W_a = W_a
        self.W_b = W_b
        self.buffer = None

    def step(self, x_t, h_prev):
        return torch.sigmoid(x_t @ self.W_a) * h_prev + x_t @ self.W_b

    def forward(self, x, h0):
        shape = (*x.shape[:2], h0.shape[1])
        if self.buffer is None or self.buffer.shape != shape or h0.requires_grad:
            self.buffer = x.new_empty(shape)
        h = h0
        for t in range(x.shape[1]):
            h = self.step(x[:, t], h)
            self.buffer[:, t] = h
        return self.buffer
