"""All parameters have other names, and some may be given by position only."""

import torch


class GatedLinearRecurrentLayer:
    def __init__(self, gate_weights, increment_weights, /):
        self._wa = gate_weights
        self._wb = increment_weights

    def step(self, frame, state, /):
        gate = torch.sigmoid(frame @ self._wa)
        kept = gate * state
        return kept + frame @ self._wb

    def forward(self, frames, state):
        states = torch.jit.annotate(list, [])
        for index in range(frames.shape[-2]):
            state = self.step(frames[..., index, :], state)
            states += [state]
        return torch.stack(states, dim=-2)
