"""Notes the gates and counts the steps on self, which the numbers do not depend on."""

import torch


class GatedLinearRecurrentLayer:
    def __init__(self, W_a, W_b):
        self.W_a = W_a
        self.W_b = W_b
        self.steps = 0
        self.gates = []

    def step(self, x_t, h_prev):
        self.steps += 1
        gate = torch.sigmoid(x_t @ self.W_a)
        self.gates.append(gate.detach())
        return gate * h_prev + x_t @ self.W_b

    def forward(self, x, h0):
        self.gates.clear()
        h, states = h0, []
        for t in range(x.shape[1]):
            h = self.step(x[:, t], h)
            states.append(h)
        print(f"{self.steps} steps so far")
        return torch.stack(states, dim=1)
