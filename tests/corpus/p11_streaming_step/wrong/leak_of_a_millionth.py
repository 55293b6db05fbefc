"""Lets a millionth of the mean over the batch into every state."""

import torch


class GatedLinearRecurrentLayer:
    def __init__(self, W_a, W_b):
        self.W_a = W_a
        self.W_b = W_b

    def step(self, x_t, h_prev):
        h = torch.sigmoid(x_t @ self.W_a) * h_prev + x_t @ self.W_b
        return h + 1e-6 * h.mean(dim=0)

    def forward(self, x, h0):
        h, states = h0, []
        for t in range(x.shape[1]):
            h = self.step(x[:, t], h)
            states.append(h)
        return torch.stack(states, dim=1)
