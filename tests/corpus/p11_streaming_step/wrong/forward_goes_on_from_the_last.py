"""forward goes on from the state of the forward before it, as a stateful layer does."""

import torch


class GatedLinearRecurrentLayer:
    def __init__(self, W_a, W_b):
        self.W_a = W_a
        self.W_b = W_b
        self.state = None

    def step(self, x_t, h_prev):
        return torch.sigmoid(x_t @ self.W_a) * h_prev + x_t @ self.W_b

    def forward(self, x, h0):
        if self.state is None:
            self.state = h0
        states = []
        for t in range(x.shape[1]):
            self.state = self.step(x[:, t], self.state)
            states.append(self.state)
        return torch.stack(states, dim=1)
