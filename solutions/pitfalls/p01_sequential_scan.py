"""Known-wrong scans. Each stands for the solution with `sequential_scan` replaced by it."""

import torch

from workbook.pitfalls import pitfall


def start(a, h0):
    return torch.zeros_like(a[:, 0]) if h0 is None else h0


@pitfall("ignores h0 and starts from zeros", replaces="sequential_scan")
def ignores_h0(a, b, h0=None):
    h, states = torch.zeros_like(a[:, 0]), []
    for t in range(a.shape[1]):
        h = a[:, t] * h + b[:, t]
        states.append(h)
    return torch.stack(states, dim=1)


@pitfall("lets the gate scale the increment too: a * (h + b)", replaces="sequential_scan")
def gate_scales_increment(a, b, h0=None):
    h, states = start(a, h0), []
    for t in range(a.shape[1]):
        h = a[:, t] * (h + b[:, t])
        states.append(h)
    return torch.stack(states, dim=1)


@pitfall("uses the gate of the next step (off by one)", replaces="sequential_scan")
def next_gate(a, b, h0=None):
    gates = torch.cat([a[:, 1:], torch.ones_like(a[:, :1])], dim=1)
    h, states = start(a, h0), []
    for t in range(a.shape[1]):
        h = gates[:, t] * h + b[:, t]
        states.append(h)
    return torch.stack(states, dim=1)


@pitfall("uses the gate of the previous step (off by one)", replaces="sequential_scan")
def previous_gate(a, b, h0=None):
    gates = torch.cat([torch.ones_like(a[:, :1]), a[:, :-1]], dim=1)
    h, states = start(a, h0), []
    for t in range(a.shape[1]):
        h = gates[:, t] * h + b[:, t]
        states.append(h)
    return torch.stack(states, dim=1)


@pitfall(
    "uses a[:, t - 1], the gate of the previous step, and so the last gate at the first step",
    replaces="sequential_scan",
)
def wrapped_gate(a, b, h0=None):
    h, states = start(a, h0), []
    for t in range(a.shape[1]):
        h = a[:, t - 1] * h + b[:, t]
        states.append(h)
    return torch.stack(states, dim=1)


@pitfall("scales the increment by 1 - a, as a moving average does", replaces="sequential_scan")
def moving_average(a, b, h0=None):
    h, states = start(a, h0), []
    for t in range(a.shape[1]):
        h = a[:, t] * h + (1 - a[:, t]) * b[:, t]
        states.append(h)
    return torch.stack(states, dim=1)


@pitfall("puts the gates through a sigmoid, though they are gates already", replaces="sequential_scan")
def sigmoid_gates(a, b, h0=None):
    h, states = start(a, h0), []
    for t in range(a.shape[1]):
        h = torch.sigmoid(a[:, t]) * h + b[:, t]
        states.append(h)
    return torch.stack(states, dim=1)


@pitfall("adds h0 to the first state without the first gate", replaces="sequential_scan")
def h0_not_gated(a, b, h0=None):
    h, states = torch.zeros_like(a[:, 0]), []
    for t in range(a.shape[1]):
        h = a[:, t] * h + b[:, t]
        if t == 0 and h0 is not None:
            h = h + h0
        states.append(h)
    return torch.stack(states, dim=1)


@pitfall("returns each state as it was before its step (one step late)", replaces="sequential_scan")
def states_before(a, b, h0=None):
    h, states = start(a, h0), []
    for t in range(a.shape[1]):
        states.append(h)
        h = a[:, t] * h + b[:, t]
    return torch.stack(states, dim=1)


@pitfall("leaves out the last step (range(length - 1))", replaces="sequential_scan")
def last_step_missing(a, b, h0=None):
    h, states = start(a, h0), []
    for t in range(a.shape[1] - 1):
        h = a[:, t] * h + b[:, t]
        states.append(h)
    return torch.stack(states, dim=1)


@pitfall("leaves the last state zero (a loop over range(length - 1))", replaces="sequential_scan")
def last_state_zero(a, b, h0=None):
    h, states = start(a, h0), []
    for t in range(a.shape[1] - 1):
        h = a[:, t] * h + b[:, t]
        states.append(h)
    return torch.stack([*states, torch.zeros_like(h)], dim=1)


@pitfall("adds each increment one step late", replaces="sequential_scan")
def late_increment(a, b, h0=None):
    late = torch.cat([torch.zeros_like(b[:, :1]), b[:, :-1]], dim=1)
    h, states = start(a, h0), []
    for t in range(a.shape[1]):
        h = a[:, t] * h + late[:, t]
        states.append(h)
    return torch.stack(states, dim=1)


@pitfall(
    "appends one buffer and changes it in place, so that every step shows the last state", replaces="sequential_scan"
)
def one_buffer(a, b, h0=None):
    h, states = start(a, h0).clone(), []
    for t in range(a.shape[1]):
        h.copy_(a[:, t] * h + b[:, t])
        states.append(h)
    return torch.stack(states, dim=1)


@pitfall("includes h0 in the output (one state too many)", replaces="sequential_scan")
def includes_h0(a, b, h0=None):
    h = start(a, h0)
    states = [h]
    for t in range(a.shape[1]):
        h = a[:, t] * h + b[:, t]
        states.append(h)
    return torch.stack(states, dim=1)


@pitfall("runs backwards in time", replaces="sequential_scan")
def time_reversed(a, b, h0=None):
    h, states = start(a, h0), []
    for t in reversed(range(a.shape[1])):
        h = a[:, t] * h + b[:, t]
        states.append(h)
    return torch.stack(states[::-1], dim=1)


@pitfall("returns only the last state", replaces="sequential_scan")
def last_state_only(a, b, h0=None):
    h = start(a, h0)
    for t in range(a.shape[1]):
        h = a[:, t] * h + b[:, t]
    return h


@pitfall("stacks the states time-first (dim 0 in place of dim 1)", replaces="sequential_scan")
def time_first(a, b, h0=None):
    h, states = start(a, h0), []
    for t in range(a.shape[1]):
        h = a[:, t] * h + b[:, t]
        states.append(h)
    return torch.stack(states, dim=0)


@pitfall("cuts the history off with detach, so that gradients stop after one step", replaces="sequential_scan")
def detached_history(a, b, h0=None):
    h, states = start(a, h0), []
    for t in range(a.shape[1]):
        h = a[:, t] * h.detach() + b[:, t]
        states.append(h)
    return torch.stack(states, dim=1)


@pitfall("changes its arguments in place", replaces="sequential_scan")
def in_place(a, b, h0=None):
    h = start(a, h0)
    for t in range(a.shape[1]):
        b[:, t] += a[:, t] * h
        h = b[:, t]
    return b.clone()
