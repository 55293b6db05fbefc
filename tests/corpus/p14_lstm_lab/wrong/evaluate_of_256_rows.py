"""evaluate looks at no more than 256 rows."""

import math

import torch
from torch import nn
from torch.nn import functional as F


def make_sequence_data(count, sequence_length, seed):
    generator = torch.Generator().manual_seed(seed)
    control = torch.randint(2, (count, 1), generator=generator)
    start = torch.randint(8, (count, 1), generator=generator)
    values = (start + (1 - 2 * control) * torch.arange(sequence_length)) % 8
    full = torch.cat([control, values + 2], dim=1)
    return full[:, :-1], full[:, 1:]


def manual_lstm_cell(x, previous_hidden, previous_cell, input_weight, hidden_weight, bias):
    raw = x @ input_weight.T + previous_hidden @ hidden_weight.T + bias
    i, f, g, o = raw.chunk(4, dim=1)
    i, f, g, o = torch.sigmoid(i), torch.sigmoid(f), torch.tanh(g), torch.sigmoid(o)
    cell = f * previous_cell + i * g
    return o * torch.tanh(cell), cell, {"input": i, "forget": f, "candidate": g, "output": o}


class NextStepLSTM(nn.Module):
    def __init__(self, embedding_size=8, hidden_size=24):
        super().__init__()
        self.embedding = nn.Embedding(10, embedding_size)
        self.lstm = nn.LSTM(embedding_size, hidden_size, batch_first=True)
        self.output = nn.Linear(hidden_size, 10)

    def forward(self, token_ids):
        return self.output(self.lstm(self.embedding(token_ids))[0])


def memoryless_baseline_loss(sequence_length):
    return (math.log(8) + (sequence_length - 1) * math.log(2)) / sequence_length


def train(model, inputs, targets, steps=300, batch_size=64, learning_rate=0.01, max_norm=1.0, seed=0):
    model.train()
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate)
    generator = torch.Generator().manual_seed(seed)
    losses = []
    for _ in range(steps):
        rows = torch.randint(len(inputs), (batch_size,), generator=generator)
        loss = F.cross_entropy(model(inputs[rows]).flatten(0, 1), targets[rows].flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        optimizer.step()
        losses.append(loss.item())
    return losses


def evaluate(model, inputs, targets):
    inputs, targets = inputs[:256], targets[:256]
    was_training = model.training
    model.eval()
    with torch.no_grad():
        logits = model(inputs)
    model.train(was_training)
    loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
    return loss.item(), (logits.argmax(dim=-1) == targets).float().mean().item()


def loss_by_position(model, inputs, targets):
    was_training = model.training
    model.eval()
    with torch.no_grad():
        logits = model(inputs)
    model.train(was_training)
    return F.cross_entropy(logits.transpose(1, 2), targets, reduction="none").mean(dim=0)


def remove_control_token(inputs):
    cleaned = inputs.clone()
    cleaned[:, 0] = 0
    return cleaned


def memoryless_logits(model, token_ids):
    return torch.cat([model(token_ids[:, t : t + 1]) for t in range(token_ids.shape[1])], dim=1)


def run(model, steps):
    train_inputs, train_targets = make_sequence_data(512, 10, 30)
    held_inputs, held_targets = make_sequence_data(256, 10, 40)
    losses = train(model, train_inputs, train_targets, steps=steps)
    held_out_loss, accuracy = evaluate(model, held_inputs, held_targets)
    return {
        "input_shape": tuple(held_inputs.shape),
        "target_shape": tuple(held_targets.shape),
        "logit_shape": tuple(model(held_inputs[:4]).shape),
        "baseline": memoryless_baseline_loss(held_inputs.shape[1]),
        "train_loss": losses[-1],
        "held_out_loss": held_out_loss,
        "accuracy": accuracy,
    }
