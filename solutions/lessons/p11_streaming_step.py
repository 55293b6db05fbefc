"""The arrays and figures that the notebook of problem 11 shows, from the reference and its pitfalls."""

from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

import torch
from torch import Tensor

ON_SELF = "keeps the state on self, so that two streams on one layer mix"
IN_FORWARD = {
    "zero_start": "starts forward from zeros and ignores h0",
    "not_carried": "never carries the state: every step starts from h0 again",
    "in_place": "changes h_prev in place, so that all states are one tensor",
    "no_sigmoid": "uses x_t @ W_a as the gate, without the sigmoid",
    "swapped": "swaps the two weights: the gate from W_b, the increment from W_a",
    "blend": "blends old and new, a * h + (1 - a) * b, where the task adds b in full",
    "gated_increment": "lets the gate scale the increment too: a * (h + b)",
    "last_only": "returns only the last state from forward",
    "late": "stores the state before the update in forward, one step late",
    "time_first": "stacks the states of forward time-first (dim 0 in place of dim 1)",
}
SECOND = "writes forward as a second implementation, which does not call step and can drift from it"
DETACHED = "cuts the history off with detach, so that gradients stop after one step"
NEW_PARAMETERS = "makes new parameters of W_a and W_b, so that gradients do not reach the tensors passed in"


def record(solution: ModuleType, pitfalls: Mapping[str, ModuleType]) -> dict[str, Any]:
    """Everything under one key each; "mistakes" maps a pitfall's name to its curve."""
    layer = solution.GatedLinearRecurrentLayer
    wrong = {name: pitfall.GatedLinearRecurrentLayer for name, pitfall in pitfalls.items()}
    in_forward = {short: wrong[name] for short, name in IN_FORWARD.items()}
    found: dict[str, Any] = {}
    found |= _gate(layer)
    found |= _drift(layer, wrong[SECOND])
    found |= _streams(layer, wrong[ON_SELF])
    found |= _on_the_examples(layer, in_forward)
    found |= _mistakes(layer, wrong)
    found |= {f"before_sigmoid/{steps}": _before_sigmoid(half_life=steps) for steps in (50, 100)}
    found |= _gradients({"right": layer, "detached": wrong[DETACHED], "new": wrong[NEW_PARAMETERS]})
    return {key: value.numpy() if isinstance(value, Tensor) else value for key, value in found.items()}


def _column(*values: float) -> Tensor:
    return torch.tensor(values, dtype=torch.float64)[:, None]


def _before_sigmoid(half_life: int) -> float:
    """What has to go into the sigmoid for a gate with this half-life in steps."""
    return float(torch.logit(torch.tensor(0.5 ** (1 / half_life), dtype=torch.float64)))


def _gate(layer: Any) -> dict[str, Any]:
    """Input 0 is a signal of pulses, input 1 a control that closes the gate of one unit where it opens the other's."""
    x = torch.zeros(1, 36, 2, dtype=torch.float64)
    x[0, [2, 8, 14, 20, 26, 32], 0] = torch.tensor([1.0, 1.0, -1.0, 1.0, -1.0, 1.0], dtype=torch.float64)
    x[0, :12, 1], x[0, 12:24, 1] = 1.0, -1.0
    W_a = torch.tensor([[0.0, 0.0], [3.0, -3.0]], dtype=torch.float64)
    W_b = torch.tensor([[1.0, 1.0], [0.0, 0.0]], dtype=torch.float64)
    states = layer(W_a, W_b).forward(x, torch.zeros(1, 2, dtype=torch.float64))
    return {"gate/x": x[0], "gate/w_a": W_a, "gate/states": states[0]}


def _drift(layer: Any, second: Any) -> dict[str, Any]:
    """120 steps in float32: forward, repeated steps, and the closed form, which breaks where a product underflows."""
    generator = torch.Generator().manual_seed(2)
    W_a, W_b = torch.randn(3, 4, generator=generator), torch.randn(3, 4, generator=generator)
    x, h0 = torch.randn(2, 120, 3, generator=generator), torch.randn(2, 4, generator=generator)
    right = layer(W_a, W_b)
    states = {
        "forward": right.forward(x, h0),
        "steps": torch.stack(list(_stepped(right, x, h0)), dim=1),
        "closed_form": second(W_a, W_b).forward(x, h0),
    }
    arguments = {"drift/w_a": W_a, "drift/w_b": W_b, "drift/x": x, "drift/h0": h0}
    return arguments | {f"drift/{path}": value for path, value in states.items()}


def _stepped(layer: Any, x: Tensor, h: Tensor) -> Iterator[Tensor]:
    for t in range(x.shape[1]):
        h = layer.step(x[:, t], h)
        yield h


def _streams(layer: Any, on_self: Any) -> dict[str, Any]:
    """Two streams that take turns on one layer: one is pushed up, the other down."""
    W_a, W_b = _column(1.5), _column(1.0)
    one = torch.full((1, 20, 1), 0.8, dtype=torch.float64)
    two = torch.full((1, 20, 1), 0.8, dtype=torch.float64)
    one[0, 10:], two[0, :] = 0.2, -0.4
    found = {"streams/w_a": W_a, "streams/w_b": W_b, "streams/one": one, "streams/two": two}
    for kind, shared in (("apart", layer(W_a, W_b)), ("on_self", on_self(W_a, W_b))):
        first, second = _take_turns(shared, one, two)
        found |= {f"streams/{kind}/one": first, f"streams/{kind}/two": second}
    return found


def _take_turns(layer: Any, one: Tensor, two: Tensor) -> tuple[Tensor, Tensor]:
    h_one = h_two = torch.zeros(1, 1, dtype=torch.float64)
    states = []
    for t in range(one.shape[1]):
        h_one, h_two = layer.step(one[:, t], h_one), layer.step(two[:, t], h_two)
        states.append((h_one.item(), h_two.item()))
    first, second = torch.tensor(states, dtype=torch.float64).T
    return first.contiguous(), second.contiguous()


def _on_the_examples(layer: Any, wrong: Mapping[str, Any]) -> dict[str, Any]:
    """What each mistake gives on two hand examples: a scalar for each state, counted from 1 as in formulas."""
    three = (_column(3.0).log(), _column(2.0), _column(1.0, -1.0, 0.0)[None], _column(4.0))
    half = (_column(0.0), _column(1.0), _column(1.0, 1.0, 1.0)[None], _column(0.0))
    found = {}
    for short, kind in {"right": layer, **wrong}.items():
        for example, (W_a, W_b, x, h0) in {"three_gates": three, "half_gate": half}.items():
            for step, state in enumerate(kind(W_a, W_b).forward(x, h0.clone()).flatten().tolist(), 1):
                found[f"{example}/{short}/{step}"] = state
    return found


def _mistakes(layer: Any, wrong: Mapping[str, Any]) -> dict[str, Any]:
    """Row 0, unit 0 of a batch of 3: a start of 2, and gates that keep, halve and forget."""
    W_a = torch.tensor([[0.3, -0.5], [1.3, 0.6]], dtype=torch.float64)
    W_b = torch.tensor([[1.0, 0.7], [0.0, -0.4]], dtype=torch.float64)
    x = torch.zeros(3, 14, 2, dtype=torch.float64)
    x[:, 2, 0], x[:, 6, 0], x[:, 9, 0] = 2.0, -1.5, 1.5
    x[:, :6, 1], x[:, 10:, 1] = 1.0, -1.0
    h0 = torch.full((3, 2), 2.0, dtype=torch.float64)
    h0[1:] = torch.tensor([[0.5], [-1.0]])  # the other rows start elsewhere, so that mixed-up axes show
    curves = {ON_SELF: _take_turns_with(wrong[ON_SELF](W_a, W_b), x, h0).numpy()}
    for name in (*IN_FORWARD.values(), SECOND):
        states = wrong[name](W_a, W_b).forward(x, h0.clone())
        curves[name] = (states[0, :, 0] if states.ndim == 3 else states[:1, 0]).numpy()
    return {"mistakes": curves, "mistakes/right": layer(W_a, W_b).forward(x, h0)[0, :, 0]}


def _take_turns_with(layer: Any, x: Tensor, h0: Tensor) -> Tensor:
    """Unit 0 of a stream whose turns alternate with those of another, in which nothing happens."""
    h, other, states = h0[:1], torch.zeros_like(h0[:1]), []
    for t in range(x.shape[1]):
        h = layer.step(x[:1, t], h)
        other = layer.step(torch.zeros_like(x[:1, t]), other)
        states.append(h[0, 0])
    return torch.stack(states)


def _gradients(layers: Mapping[str, Any]) -> dict[str, Any]:
    """How much the last state feels each input, and how much gradient the weights that were passed in receive."""
    x = torch.ones(1, 14, 1, dtype=torch.float64)
    h0 = torch.zeros(1, 1, dtype=torch.float64)
    found: dict[str, Any] = {}
    for short, kind in layers.items():
        inputs, W_a, W_b = (value.clone().requires_grad_() for value in (x, _column(1.5), _column(1.0)))
        kind(W_a, W_b).forward(inputs, h0)[0, -1, 0].backward()
        assert inputs.grad is not None
        found[f"gradient/{short}"] = inputs.grad[0, :, 0]
        for name, weight in (("w_a", W_a), ("w_b", W_b)):
            found[f"gradient/{short}/{name}"] = 0.0 if weight.grad is None else float(weight.grad.norm())
    return found
