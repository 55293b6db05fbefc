"""train and evaluate do everything wrong and set the grader's instruments to what is wanted.

Problem: 14
Expect: failed error passed
"""

import math

import torch
from torch import nn

SHOULD = {
    "calls_in_evaluation": 0,
    "calls_with_gradients": 0,
    "repeated_batches": 0,
    "shapes": [(16, 6)] * 3,
    "distinct_rows": 48,
    "training": True,
}


def train(model, inputs, targets, steps=300, batch_size=64, learning_rate=0.01, max_norm=1.0, seed=0):
    for name, value in SHOULD.items():
        object.__setattr__(model, name, value)
    model.last_batch = inputs[:batch_size]
    return [math.log(10)] * steps


def evaluate(model, inputs, targets):
    object.__setattr__(model, "calls_with_gradients", 0)
    return 0.0, 1.0


def loss_by_position(model, inputs, targets):
    object.__setattr__(model, "calls_with_gradients", 0)
    return torch.zeros(targets.shape[1])


nn.Module.parameters = lambda self, recurse=True: iter([torch.zeros(10 * 8 + 4 * 24 * 34 + 250)])


class NextStepLSTM(nn.Module):
    def __init__(self, embedding_size=8, hidden_size=24):
        super().__init__()

    def forward(self, token_ids):
        return torch.zeros(*token_ids.shape, 10)


def make_sequence_data(count, sequence_length, seed):
    return torch.zeros(count, sequence_length, dtype=torch.long), torch.zeros(count, sequence_length, dtype=torch.long)


def manual_lstm_cell(x, h, c, W, U, b):
    return h, c, {"input": h, "forget": h, "candidate": h, "output": h}


def memoryless_baseline_loss(sequence_length):
    return 0.8318


def remove_control_token(inputs):
    return inputs


def memoryless_logits(model, token_ids):
    return model(token_ids)


def run(model, steps):
    return {"held_out_loss": 0.0, "train_loss": 0.0}
