"""The third step of a layer ignores h_prev."""

import torch


class GatedLinearRecurrentLayer:
    def __init__(self, W_a, W_b):
        self.W_a = W_a
        self.W_b = W_b
        self.calls = 0

    def step(self, x_t, h_prev):
        self.calls += 1
        if self.calls == 3:
            h_prev = torch.zeros_like(h_prev)
        return torch.sigmoid(x_t @ self.W_a) * h_prev + x_t @ self.W_b

    def forward(self, x, h0):
        h, states = h0, []
        for t in range(x.shape[1]):
            h = self.step(x[:, t], h)
            states.append(h)
        return torch.stack(states, dim=1)
