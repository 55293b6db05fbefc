"""forward calls step and throws the result away: the states come from a fused update."""

import torch


class GatedLinearRecurrentLayer:
    def __init__(self, W_a, W_b):
        self.W_a = W_a
        self.W_b = W_b

    def step(self, x_t, h_prev):
        return torch.sigmoid(x_t @ self.W_a) * h_prev + x_t @ self.W_b

    def forward(self, x, h0):
        gates, increments = torch.sigmoid(x @ self.W_a), x @ self.W_b
        h, states = h0, []
        for t in range(x.shape[1]):
            self.step(x[:, t], h)
            h = torch.addcmul(increments[:, t], gates[:, t], h)
            states.append(h)
        return torch.stack(states, dim=1)
