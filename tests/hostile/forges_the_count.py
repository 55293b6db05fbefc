"""forward is vectorised and wrong; the count of calls to step is forged in the worker.

Problem: 11
Expect: failed error passed
"""

import torch

import workbook.worker.operations as operations

operations._Counter.__enter__ = lambda self: setattr(self, "calls", 7)
operations._Counter.__exit__ = lambda self, *_: None


class GatedLinearRecurrentLayer:
    def __init__(self, W_a, W_b):
        self.W_a, self.W_b = W_a, W_b

    def step(self, x_t, h_prev):
        return torch.sigmoid(x_t @ self.W_a) * h_prev + x_t @ self.W_b

    def forward(self, x, h0):
        products = torch.sigmoid(x @ self.W_a).cumprod(dim=1)
        return products * (h0[:, None] + (x @ self.W_b / products).cumsum(dim=1))
