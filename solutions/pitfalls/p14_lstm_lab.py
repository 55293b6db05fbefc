"""Known-wrong pieces of the LSTM lab. Each stands for the solution with one name replaced by it."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from workbook.pitfalls import pitfall


def sequences(count, sequence_length, generator, up=1, modulus=8):
    control = torch.randint(2, (count, 1), generator=generator)
    start = torch.randint(8, (count, 1), generator=generator)
    direction = torch.where(control == 0, up, -up)
    values = (start + direction * torch.arange(sequence_length)) % modulus
    return torch.cat([control, values + 2], dim=1)


@pitfall("does not shift the targets: they are the inputs again", replaces="make_sequence_data")
def unshifted_targets(count, sequence_length, seed):
    full = sequences(count, sequence_length, torch.Generator().manual_seed(seed))
    return full[:, :-1], full[:, :-1].clone()


@pitfall("lets the values wrap modulo 10 in place of 8", replaces="make_sequence_data")
def wraps_at_ten(count, sequence_length, seed):
    full = sequences(count, sequence_length, torch.Generator().manual_seed(seed), modulus=10)
    return full[:, :-1], full[:, 1:]


@pitfall("swaps the directions: token 0 counts down and token 1 up", replaces="make_sequence_data")
def swapped_directions(count, sequence_length, seed):
    full = sequences(count, sequence_length, torch.Generator().manual_seed(seed), up=-1)
    return full[:, :-1], full[:, 1:]


@pitfall("ignores the seed: every seed gives the same data", replaces="make_sequence_data")
def data_seed_ignored(count, sequence_length, seed):
    full = sequences(count, sequence_length, torch.Generator().manual_seed(0))
    return full[:, :-1], full[:, 1:]


@pitfall(
    "uses torch's global generator in place of one of its own",
    replaces="make_sequence_data",
    check="test_leaves_the_global_generator_alone",
)
def global_generator(count, sequence_length, seed):
    torch.manual_seed(seed)
    full = sequences(count, sequence_length, None)
    return full[:, :-1], full[:, 1:]


def cell_from(i, f, g, o, previous_cell):
    cell = f * previous_cell + i * g
    return o * torch.tanh(cell), cell, {"input": i, "forget": f, "candidate": g, "output": o}


@pitfall("takes the gates in the order input, forget, output, candidate", replaces="manual_lstm_cell")
def gate_order_ifog(x, previous_hidden, previous_cell, input_weight, hidden_weight, bias):
    i, f, o, g = (x @ input_weight.T + previous_hidden @ hidden_weight.T + bias).chunk(4, dim=1)
    return cell_from(torch.sigmoid(i), torch.sigmoid(f), torch.tanh(g), torch.sigmoid(o), previous_cell)


@pitfall("applies sigmoid to the candidate in place of tanh", replaces="manual_lstm_cell")
def sigmoid_candidate(x, previous_hidden, previous_cell, input_weight, hidden_weight, bias):
    raw = x @ input_weight.T + previous_hidden @ hidden_weight.T + bias
    return cell_from(*torch.sigmoid(raw).chunk(4, dim=1), previous_cell)


@pitfall("leaves out the tanh on the cell: h = o * c", replaces="manual_lstm_cell")
def no_tanh_on_cell(x, previous_hidden, previous_cell, input_weight, hidden_weight, bias):
    i, f, g, o = (x @ input_weight.T + previous_hidden @ hidden_weight.T + bias).chunk(4, dim=1)
    _, cell, gates = cell_from(torch.sigmoid(i), torch.sigmoid(f), torch.tanh(g), torch.sigmoid(o), previous_cell)
    return gates["output"] * cell, cell, gates


@pitfall("computes the hidden state from the old cell: h = o * tanh(c_prev)", replaces="manual_lstm_cell")
def hidden_from_old_cell(x, previous_hidden, previous_cell, input_weight, hidden_weight, bias):
    i, f, g, o = (x @ input_weight.T + previous_hidden @ hidden_weight.T + bias).chunk(4, dim=1)
    _, cell, gates = cell_from(torch.sigmoid(i), torch.sigmoid(f), torch.tanh(g), torch.sigmoid(o), previous_cell)
    return gates["output"] * torch.tanh(previous_cell), cell, gates


@pitfall("forgets batch_first, so that the LSTM runs over the rows in place of the positions", replaces="NextStepLSTM")
class BatchFirstForgotten(NextStepLSTM):
    def __init__(self, embedding_size=8, hidden_size=24):
        super().__init__(embedding_size, hidden_size)
        self.lstm = nn.LSTM(embedding_size, hidden_size)


@pitfall("applies softmax in forward: cross-entropy then applies it a second time", replaces="NextStepLSTM")
class SoftmaxInForward(NextStepLSTM):
    def forward(self, token_ids):
        return torch.softmax(super().forward(token_ids), dim=-1)


@pitfall("uses a GRU in place of the LSTM", replaces="NextStepLSTM")
class GatedRecurrentUnit(NextStepLSTM):
    def __init__(self, embedding_size=8, hidden_size=24):
        super().__init__(embedding_size, hidden_size)
        self.lstm = nn.GRU(embedding_size, hidden_size, batch_first=True)


@pitfall("uses a plain RNN in place of the LSTM", replaces="NextStepLSTM")
class PlainRNN(NextStepLSTM):
    def __init__(self, embedding_size=8, hidden_size=24):
        super().__init__(embedding_size, hidden_size)
        self.lstm = nn.RNN(embedding_size, hidden_size, batch_first=True)


@pitfall("uses a bidirectional LSTM, which reads the answers ahead", replaces="NextStepLSTM")
class BidirectionalLSTM(NextStepLSTM):
    def __init__(self, embedding_size=8, hidden_size=24):
        super().__init__(embedding_size, hidden_size)
        self.lstm = nn.LSTM(embedding_size, hidden_size, batch_first=True, bidirectional=True)
        self.output = nn.Linear(2 * hidden_size, 10)


@pitfall("gives ln 10, the loss of uniform guessing among all tokens", replaces="memoryless_baseline_loss")
def uniform_baseline(sequence_length):
    return math.log(10)


def trained(
    model, inputs, targets, steps, batch_size, learning_rate, max_norm, seed, clears_gradients=True, clips=True
):
    model.train()
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate)
    generator = torch.Generator().manual_seed(seed)
    losses = []
    for _ in range(steps):
        rows = torch.randint(len(inputs), (batch_size,), generator=generator)
        loss = F.cross_entropy(model(inputs[rows]).flatten(0, 1), targets[rows].flatten())
        if clears_gradients:
            optimizer.zero_grad()
        loss.backward()
        if clips:
            nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        optimizer.step()
        losses.append(loss.item())
    return losses


@pitfall("forgets zero_grad, so that gradients add up over the steps", replaces="train")
def no_zero_grad(model, inputs, targets, steps=300, batch_size=64, learning_rate=0.01, max_norm=1.0, seed=0):
    return trained(model, inputs, targets, steps, batch_size, learning_rate, max_norm, seed, clears_gradients=False)


@pitfall("does not clip the gradients", replaces="train")
def no_clipping(model, inputs, targets, steps=300, batch_size=64, learning_rate=0.01, max_norm=1.0, seed=0):
    return trained(model, inputs, targets, steps, batch_size, learning_rate, max_norm, seed, clips=False)


@pitfall("ignores the seed: every seed trains on the same batches", replaces="train")
def batch_seed_ignored(model, inputs, targets, steps=300, batch_size=64, learning_rate=0.01, max_norm=1.0, seed=0):
    return trained(model, inputs, targets, steps, batch_size, learning_rate, max_norm, 0)


def figures_of(model, inputs, targets):
    with torch.no_grad():
        logits = model(inputs)
    loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
    return loss.item(), (logits.argmax(dim=-1) == targets).float().mean().item()


@pitfall("leaves dropout on: the model is evaluated in the mode it is found in", replaces="evaluate")
def dropout_left_on(model, inputs, targets):
    return figures_of(model, inputs, targets)


@pitfall("does not restore the mode: the model is left in evaluation mode", replaces="evaluate")
def left_in_evaluation_mode(model, inputs, targets):
    model.eval()
    return figures_of(model, inputs, targets)


@pitfall("leaves the model in training mode, whatever mode it was found in", replaces="evaluate")
def left_in_training_mode(model, inputs, targets):
    model.eval()
    figures = figures_of(model, inputs, targets)
    model.train()
    return figures


@pitfall("averages over the positions of each row in place of the rows at each position", replaces="loss_by_position")
def loss_by_row(model, inputs, targets):
    was_training = model.training
    model.eval()
    with torch.no_grad():
        logits = model(inputs)
    model.train(was_training)
    losses = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="none")
    return losses.reshape(targets.shape).mean(dim=1)


@pitfall(
    "changes its argument in place",
    replaces="remove_control_token",
    check="test_removing_the_control_token_leaves_the_argument_alone",
)
def removed_in_place(inputs):
    inputs[:, 0] = 0
    return inputs.clone()


@pitfall("lets the state run on: the model reads the whole sequence at once", replaces="memoryless_logits")
def state_runs_on(model, token_ids):
    return model(token_ids)


@pitfall("reports the training loss as the held-out loss", replaces="run")
def reports_training_loss(model, steps):
    inputs, targets = make_sequence_data(count=512, sequence_length=10, seed=30)
    losses = train(model, inputs, targets, steps=steps)
    held_inputs, held_targets = make_sequence_data(count=256, sequence_length=10, seed=40)
    return {
        "input_shape": tuple(held_inputs.shape),
        "target_shape": tuple(held_targets.shape),
        "logit_shape": tuple(model(held_inputs[:4]).shape),
        "baseline": memoryless_baseline_loss(10),
        "train_loss": losses[-1],
        "held_out_loss": losses[-1],
        "accuracy": evaluate(model, held_inputs, held_targets)[1],
    }
