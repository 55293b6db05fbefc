"""The arrays and figures that the notebook of problem 1 shows, from the reference and its pitfalls."""

from collections.abc import Mapping
from types import ModuleType
from typing import Any

import numpy as np
import torch

IN_VALUES = {
    "ignores_h0": "ignores h0 and starts from zeros",
    "gated_increment": "lets the gate scale the increment too: a * (h + b)",
    "next_gate": "uses the gate of the next step (off by one)",
    "previous_gate": "uses the gate of the previous step (off by one)",
    "wrapped_gate": "uses a[:, t - 1], the gate of the previous step, and so the last gate at the first step",
    "moving_average": "scales the increment by 1 - a, as a moving average does",
    "sigmoid_gates": "puts the gates through a sigmoid, though they are gates already",
    "h0_not_gated": "adds h0 to the first state without the first gate",
    "states_before": "returns each state as it was before its step (one step late)",
    "last_step_missing": "leaves out the last step (range(length - 1))",
    "last_state_zero": "leaves the last state zero (a loop over range(length - 1))",
    "late_increment": "adds each increment one step late",
    "one_buffer": "appends one buffer and changes it in place, so that every step shows the last state",
    "reversed": "runs backwards in time",
    "includes_h0": "includes h0 in the output (one state too many)",
    "last_only": "returns only the last state",
    "time_first": "stacks the states time-first (dim 0 in place of dim 1)",
}
NAMES = IN_VALUES | {
    "detached": "cuts the history off with detach, so that gradients stop after one step",
    "in_place": "changes its arguments in place",
}


def record(solution: ModuleType, pitfalls: Mapping[str, ModuleType]) -> dict[str, Any]:
    """Everything under one key each; "mistakes" maps a pitfall's name to its curve."""
    scan = solution.sequential_scan
    wrong = {short: pitfalls[name].sequential_scan for short, name in NAMES.items()}
    found: dict[str, Any] = {}
    found |= _decays(scan)
    found |= _impulses(scan)
    found |= _departure(scan, wrong["next_gate"])
    found |= _on_the_example({"right": scan} | {short: wrong[short] for short in IN_VALUES})
    found |= _mistakes(scan, wrong)
    found |= _unseen_in_the_states(scan, wrong["detached"], wrong["in_place"])
    return {key: value.numpy() if isinstance(value, torch.Tensor) else value for key, value in found.items()}


def _decays(scan: Any) -> dict[str, Any]:
    """One channel for each gate, an increment of 1 at every step."""
    gates = torch.tensor([1.0, 0.9, 0.8, 0.5], dtype=torch.float64)
    b = torch.ones(1, 30, len(gates), dtype=torch.float64)
    return {"decays/gates": gates, "decays/states": scan(gates.expand_as(b), b)[0]}


def _impulses(scan: Any) -> dict[str, Any]:
    """One channel for each gate, a single increment of 1 at step 0."""
    gates = torch.tensor([0.97, 0.9, 0.5, -0.8], dtype=torch.float64)
    b = torch.zeros(1, 41, len(gates), dtype=torch.float64)
    b[:, 0] = 1.0
    half_lives = np.log(0.5) / np.log(gates[:3].numpy())
    return {
        "impulse/gates": gates,
        "impulse/states": scan(gates.expand_as(b), b)[0],
        "impulse/half_lives": half_lives,
        "half_life/slow": float(half_lives[0]),
        "half_life/middle": float(half_lives[1]),
        "half_life/gate_of_50": 0.5 ** (1 / 50),
    }


def _departure(scan: Any, next_gate: Any) -> dict[str, Any]:
    """Gates that drop in each channel at a time of its own, so that a gate read too early shows as a staircase."""
    generator = torch.Generator().manual_seed(1980)
    a = torch.full((2, 24, 6), 0.9, dtype=torch.float64)
    for channel in range(6):
        a[:, 4 + 3 * channel :, channel] = 0.6
    b = torch.randn(a.shape, generator=generator, dtype=torch.float64)
    h0 = torch.randn(2, 6, generator=generator, dtype=torch.float64)
    states = scan(a, b, h0)
    return {
        "departure/a": a,
        "departure/b": b,
        "departure/h0": h0,
        "departure/states": states,
        "departure/next_gate": next_gate(a, b, h0),
    }


def _on_the_example(functions: Mapping[str, Any]) -> dict[str, Any]:
    """What the solution and each mistake give on the second hand example: a scalar for each state, counted from 1 as in formulas."""
    a = torch.tensor([2.0, 3.0, 0.5, -1.0], dtype=torch.float64).reshape(1, 4, 1)
    b = torch.tensor([1.0, 1.0, 4.0, 2.0], dtype=torch.float64).reshape(1, 4, 1)
    h0 = torch.tensor([[5.0]], dtype=torch.float64)
    found = {}
    for short, function in functions.items():
        for step, state in enumerate(function(a, b, h0).flatten().tolist(), 1):
            found[f"example/{short}/{step}"] = state
    return found


def _mistakes(scan: Any, wrong: Mapping[str, Any]) -> dict[str, Any]:
    """Row 0, channel 0 of a batch of 3: a start of 2, three pulses, and one gate of 0."""
    a = torch.full((3, 16, 2), 0.8, dtype=torch.float64)
    b = torch.zeros(3, 16, 2, dtype=torch.float64)
    h0 = torch.full((3, 2), 2.0, dtype=torch.float64)
    a[:, 7] = 0.0
    b[:, 2], b[:, 10], b[:, 13] = 2.0, -2.0, 1.5
    h0[1:] = torch.tensor([[0.5], [-1.0]])  # the other rows start elsewhere, so that mixed-up axes show
    curves = {}
    for short, function in wrong.items():
        states = function(a, b.clone(), h0)
        curves[NAMES[short]] = states[0, :, 0].numpy() if states.ndim == 3 else states[:1, 0].numpy()
    return {"mistakes": curves, "mistakes/right": scan(a, b, h0)[0, :, 0]}


def _unseen_in_the_states(scan: Any, detached: Any, in_place: Any) -> dict[str, Any]:
    """Two mistakes that give the right states: one in the gradients, one in what becomes of an argument."""
    a = torch.full((1, 16, 1), 0.85, dtype=torch.float64)
    b = torch.ones(1, 16, 1, dtype=torch.float64)
    found: dict[str, Any] = {}
    for short, function in {"right": scan, "detached": detached}.items():
        increments = b.clone().requires_grad_()
        function(a, increments)[0, -1, 0].backward()
        assert increments.grad is not None
        found[f"gradient/{short}"] = increments.grad[0, :, 0]
    changed = b.clone()
    in_place(a, changed)
    return found | {"argument/before": b[0, :, 0], "argument/after": changed[0, :, 0]}
