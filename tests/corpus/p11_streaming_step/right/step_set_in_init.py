"""step is no method but a function that __init__ puts on the instance."""

import torch


def make_step(W_a, W_b):
    def step(x_t, h_prev):
        return torch.sigmoid(x_t @ W_a) * h_prev + x_t @ W_b

    return step


class GatedLinearRecurrentLayer:
    def __init__(self, W_a, W_b):
        self.step = make_step(W_a, W_b)

    def forward(self, x, h0):
        h, states = h0, []
        for t in range(x.shape[1]):
            h = self.step(x[:, t], h)
            states.append(h)
        return torch.stack(states, dim=1)
