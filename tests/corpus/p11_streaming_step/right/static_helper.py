"""step passes on to a static method, and the class inherits both from a base class."""

import torch


class Recurrent:
    def step(self, x_t, h_prev):
        return self.update(x_t, h_prev, *self.weights)

    @staticmethod
    def update(x_t, h_prev, W_a, W_b):
        return 1 / (1 + torch.exp(-(x_t @ W_a))) * h_prev + x_t @ W_b

    def forward(self, x, h0):
        states = []
        for t in range(x.shape[1]):
            states.append(self.step(x[:, t], states[-1] if states else h0))
        return torch.stack(states, dim=1)


class GatedLinearRecurrentLayer(Recurrent):
    def __init__(self, W_a, W_b):
        self.weights = (W_a, W_b)
