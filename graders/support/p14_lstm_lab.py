"""Small models and instruments for the checks of problem 14. They run in the learner's process.

Their parameters follow from formulas, so that both sides start from the same numbers.
"""

import random

import numpy
import torch
from torch import nn

VOCABULARY = 10


def wave(*shape, pace, scale):
    """Numbers without symmetry: a sampled sine."""
    count = torch.Size(shape).numel()
    return (scale * torch.sin(pace * torch.arange(1, count + 1, dtype=torch.float32))).reshape(shape)


class Recording(nn.Module):
    """Notes how it was called: how often, how often in evaluation mode and with gradients on, and on what shape."""

    def __init__(self, training):
        super().__init__()
        self.train(training)
        self.calls = 0
        self.calls_in_evaluation = 0
        self.calls_with_gradients = 0
        self.last_shape = ()

    def note_call(self, token_ids):
        self.calls += 1
        self.calls_in_evaluation += not self.training
        self.calls_with_gradients += torch.is_grad_enabled()
        self.last_shape = tuple(token_ids.shape)


class TableModel(Recording):
    """Logits read from a table (10, 10), one row for each token: nothing is remembered or learned."""

    def __init__(self, table, training=True):
        super().__init__(training)
        self.table = table

    def forward(self, token_ids):
        self.note_call(token_ids)
        return self.table[token_ids]


class TinyRecurrent(Recording):
    """A recurrent model of 6 units. `dropout` acts in training mode.

    `salt` reseeds every global generator at each call: whoever draws from one of them gets other numbers for another
    salt, and whoever has a generator of their own does not notice.
    """

    def __init__(self, dropout=0.0, training=True, salt=None):
        super().__init__(training)
        self.embedding = nn.Parameter(wave(VOCABULARY, 6, pace=1.7, scale=1.0))
        self.recurrent = nn.Parameter(wave(6, 6, pace=2.3, scale=0.6))
        self.readout = nn.Parameter(wave(6, VOCABULARY, pace=3.1, scale=0.8))
        self.dropout = dropout
        self.salt = salt

    def forward(self, token_ids):
        self.note_call(token_ids)
        if self.salt is not None:
            random.seed(self.salt)
            numpy.random.seed(self.salt)
            torch.manual_seed(self.salt)
        embedded = self.embedding[token_ids]
        hidden = torch.zeros_like(embedded[:, 0])
        logits = []
        for t in range(token_ids.shape[1]):
            hidden = torch.tanh(embedded[:, t] + hidden @ self.recurrent)
            dropped = nn.functional.dropout(hidden, self.dropout, self.training)
            logits.append(dropped @ self.readout)
        return torch.stack(logits, dim=1)


class Dice:
    """Shows where torch's global generator stands. Reading an attribute is not a call, so nothing is reseeded."""

    @property
    def draw(self):
        return torch.rand(3)


class Leaves:
    """Copies of tensors that record gradients, to be handed out one by one and asked for their gradients at the end."""

    def __init__(self, *tensors):
        self.tensors = [tensor.clone().requires_grad_() for tensor in tensors]

    def take(self, place):
        return self.tensors[place]

    def differentiate(self, result):
        """Gradients of a weighted sum over (hidden, cell, gates); None where nothing arrives."""
        hidden, cell, gates = result
        results = [hidden, cell, *(gates[name] for name in sorted(gates))]
        total = sum((place + 1) * torch.cos(result).sum() for place, result in enumerate(results))
        gradients = torch.autograd.grad(total, self.tensors, allow_unused=True)
        return [None if gradient is None else gradient.detach() for gradient in gradients]
