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
    """Notes how it was called: in which mode, with gradients on or off, and on what batches."""

    def __init__(self, training):
        super().__init__()
        self.train(training)
        self.calls_in_training = 0
        self.calls_in_evaluation = 0
        self.calls_with_gradients = 0
        self.repeated_batches = 0
        self.last_batch = None
        self.shapes = []
        self.batches = set()
        self.rows = set()
        self.distinct_rows = 0

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            raise AttributeError(
                f"the grader calls this function with a model of its own, which has no {name!r}"
            ) from None

    def note_call(self, token_ids):
        self.calls_in_training += self.training
        self.calls_in_evaluation += not self.training
        self.calls_with_gradients += torch.is_grad_enabled()
        self.shapes.append(tuple(token_ids.shape))
        self.last_batch = token_ids
        self.rows.update(map(str, token_ids.tolist()))
        self.distinct_rows = len(self.rows)
        batch = str(token_ids.tolist())
        self.repeated_batches += batch in self.batches
        self.batches.add(batch)


class TableModel(Recording):
    """Logits read from a table (10, 10), one row for each token: nothing is remembered or learned."""

    def __init__(self, table, training=True):
        super().__init__(training)
        # No gradient: nothing here is to learn. A parameter all the same, so that its device and dtype can be asked for.
        self.table = nn.Parameter(table, requires_grad=False)

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
            reseed(self.salt)
        embedded = self.embedding[token_ids]
        hidden = torch.zeros_like(embedded[:, 0])
        logits = []
        for t in range(token_ids.shape[1]):
            hidden = torch.tanh(embedded[:, t] + hidden @ self.recurrent)
            dropped = nn.functional.dropout(hidden, self.dropout, self.training)
            logits.append(dropped @ self.readout)
        return torch.stack(logits, dim=1)


def reseed(salt):
    """Bring every global generator into a state of its own for each salt."""
    random.seed(salt)
    numpy.random.seed(salt)
    torch.default_generator.manual_seed(salt)  # torch.manual_seed takes 3 ms to note it for other devices


def data_and_draw(salt, count, sequence_length, seed):
    """What the submission's make_sequence_data gives in that state, and what torch draws after it."""
    import p14_lstm_lab as submission

    reseed(salt)
    data = submission.make_sequence_data(count, sequence_length, seed)
    return data, torch.rand(3)


def fill(model, value):
    """Set every parameter of a model to one number, and the model to evaluation mode."""
    model.eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.fill_(value)


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
