"""Problems 11 and 12: the references against independent implementations, the shown numbers, the known mistakes."""

from __future__ import annotations

import doctest
import re
import types
from typing import Any

import numpy as np
import pytest
import torch
from helpers.workbooks import ROOT
from scipy.signal import lfilter

from workbook.content.catalog import read_problem
from workbook.content.hints import hint_text
from workbook.content.problem import Example, Problem
from workbook.pitfalls import Pitfall, read_pitfalls

PROBLEMS = {
    11: read_problem(ROOT, ROOT / "exercises" / "p11_streaming_step.toml"),
    12: read_problem(ROOT, ROOT / "exercises" / "p12_elman_rnn.toml"),
}
EXAMPLES = [(number, example) for number, problem in PROBLEMS.items() for example in problem.examples]


def loaded(source: str, name: str) -> types.ModuleType:
    module = types.ModuleType(name)
    exec(compile(source, name, "exec", dont_inherit=True), module.__dict__)
    return module


def solution(problem: Problem) -> types.ModuleType:
    return loaded(problem.solution.read_text(encoding="utf-8"), problem.stem)


def layer_class() -> Any:
    return solution(PROBLEMS[11]).GatedLinearRecurrentLayer


def rnn_forward(*arguments: Any) -> dict[str, Any]:
    result: dict[str, Any] = solution(PROBLEMS[12]).rnn_forward(*arguments)
    return result


def layer_inputs(length: int = 13, dtype: torch.dtype = torch.float64) -> tuple[torch.Tensor, ...]:
    """W_a, W_b, x, h0 of 2 rows, 3 inputs and 4 hidden units."""
    draw = torch.Generator().manual_seed(length)
    sizes = ((3, 4), (3, 4), (2, length, 3), (2, 4))
    return tuple(torch.randn(size, generator=draw, dtype=dtype) for size in sizes)


def network_inputs(length: int = 13, input_size: int = 3, hidden_size: int = 4) -> tuple[Any, ...]:
    """X, h_0, W_xh, W_hh, b_h of 2 rows."""
    draw = np.random.default_rng(length)
    sizes = ((2, length, input_size), (2, hidden_size), (hidden_size, input_size), (hidden_size, hidden_size))
    return (*(draw.normal(0, 0.6, size) for size in sizes), draw.normal(0, 0.6, hidden_size))


# What is shown


@pytest.mark.parametrize("number", PROBLEMS)
def test_examples_in_docstrings_are_right(number):
    results = doctest.testmod(solution(PROBLEMS[number]), verbose=False)
    assert results.attempted >= 6
    assert results.failed == 0


def called(number: int, example: Example) -> Any:
    """What the reference returns for an example, as nested lists."""
    module = solution(PROBLEMS[number])
    if number == 12:
        result = module.rnn_forward(*(np.array(value) for value in example.arguments.values()))
        return {name: value.tolist() for name, value in result.items()}
    W_a, W_b, *arguments = (torch.tensor(value, dtype=torch.float64) for value in example.arguments.values())
    method = example.call.removeprefix("GatedLinearRecurrentLayer.")
    return getattr(module.GatedLinearRecurrentLayer(W_a, W_b), method)(*arguments).tolist()


@pytest.mark.parametrize(("number", "example"), EXAMPLES, ids=lambda value: getattr(value, "name", value))
def test_examples_of_the_toml_are_right(number, example):
    got, shown = called(number, example), example.returns
    allowed = 1e-10 if example.decimals is None else 0.5 * 10.0**-example.decimals
    if not isinstance(shown, dict):
        got, shown = {"": got}, {"": shown}
    assert got.keys() == shown.keys()
    for name in shown:
        np.testing.assert_allclose(got[name], shown[name], rtol=0, atol=allowed)


@pytest.mark.parametrize("number", PROBLEMS)
def test_arguments_of_the_toml_have_the_names_of_the_signatures(number):
    expected = {
        "rnn_forward": ["X", "h_0", "W_xh", "W_hh", "b_h"],
        "GatedLinearRecurrentLayer.step": ["W_a", "W_b", "x_t", "h_prev"],
        "GatedLinearRecurrentLayer.forward": ["W_a", "W_b", "x", "h0"],
    }
    for example in PROBLEMS[number].examples:
        assert list(example.arguments) == expected[example.call]


@pytest.mark.parametrize("number", PROBLEMS)
def test_hints_are_filled_from_the_examples(number):
    texts = [hint_text(PROBLEMS[number], place + 1) for place in range(len(PROBLEMS[number].hints))]
    assert len(texts) >= 3
    last_numbers = {11: "5, -0.75, -0.375", 12: "final_hidden_state 0.451, -0.038, 0.231"}
    assert any(last_numbers[number] in text for text in texts)


def test_terms_in_the_docstring_of_the_network_are_right():
    """Each row of the table: input term, recurrent term, sum with the bias, state, of three units each."""
    rows = re.findall(r"^ +([123])((?: +-?\d\.\d{3}){12})$", solution(PROBLEMS[12]).rnn_forward.__doc__, re.MULTILINE)
    assert [row[0] for row in rows] == ["1", "2", "3"]
    arguments = (np.array(value) for value in PROBLEMS[12].examples[0].arguments.values())
    X, h_0, W_xh, W_hh, b_h = arguments
    states = rnn_forward(X, h_0, W_xh, W_hh, b_h)["hidden_states"][0]
    before = np.vstack([h_0, states[:-1]])
    terms, recurrent = X[0] @ W_xh.T, before @ W_hh.T
    expected = np.hstack([terms, recurrent, terms + recurrent + b_h, states])
    shown = np.array([[float(text) for text in row[1].split()] for row in rows])
    np.testing.assert_allclose(shown, expected, rtol=0, atol=5e-4)


def test_second_example_needs_the_initial_state():
    first, second = PROBLEMS[12].examples
    assert {**first.arguments, "h_0": None} == {**second.arguments, "h_0": None}
    apart = np.abs(np.array(first.returns["hidden_states"]) - np.array(second.returns["hidden_states"]))
    assert apart.max(axis=(0, 2)).min() > 0.01  # at every step


# The layer of problem 11


def test_layer_equals_a_loop_over_single_numbers():
    W_a, W_b, x, h0 = (value.numpy() for value in layer_inputs())
    expected = np.empty((2, 13, 4))
    for row in range(2):
        for unit in range(4):
            h = h0[row, unit]
            for time in range(13):
                gate = 1 / (1 + np.exp(-sum(x[row, time, i] * W_a[i, unit] for i in range(3))))
                h = gate * h + sum(x[row, time, i] * W_b[i, unit] for i in range(3))
                expected[row, time, unit] = h
    W_a, W_b, x, h0 = layer_inputs()
    np.testing.assert_allclose(layer_class()(W_a, W_b).forward(x, h0).numpy(), expected, rtol=0, atol=1e-12)


def test_layer_with_a_constant_gate_is_a_filter():
    _, W_b, x, h0 = layer_inputs(length=40)
    x[..., 0] = 1.0  # alone sets the gate, to another constant in each unit
    W_a = torch.zeros(3, 4, dtype=torch.float64)
    W_a[0] = torch.tensor([-1.0, 0.0, 2.0, 5.0])
    gates, increments = torch.sigmoid(W_a[0]), x @ W_b
    got = layer_class()(W_a, W_b).forward(x, h0)
    for unit, a in enumerate(gates.tolist()):
        for row in range(2):
            start = [a * h0[row, unit].item()]
            expected, _ = lfilter([1.0], [1.0, -a], increments[row, :, unit].numpy(), zi=start)
            np.testing.assert_allclose(got[row, :, unit].numpy(), expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_forward_equals_repeated_steps_exactly(dtype):
    W_a, W_b, x, h = layer_inputs(dtype=dtype)
    layer = layer_class()(W_a, W_b)
    whole = layer.forward(x, h)
    assert whole.dtype == dtype
    for time in range(13):
        h = layer.step(x[:, time], h)
        assert torch.equal(whole[:, time], h)


def test_any_two_chunks_equal_the_whole():
    W_a, W_b, x, h0 = layer_inputs(length=7)
    layer = layer_class()(W_a, W_b)
    whole = layer.forward(x, h0)
    for cut in range(1, 7):
        first = layer.forward(x[:, :cut], h0)
        second = layer.forward(x[:, cut:], first[:, -1])
        torch.testing.assert_close(torch.cat([first, second], dim=1), whole, rtol=0, atol=1e-14)


def test_layer_has_the_right_gradients():
    inputs = [value.requires_grad_() for value in layer_inputs(length=3)]
    layers = layer_class()
    assert torch.autograd.gradcheck(lambda W_a, W_b, x, h0: layers(W_a, W_b).forward(x, h0), inputs)


def test_layer_leaves_its_arguments_alone():
    arguments = layer_inputs()
    copies = [value.clone() for value in arguments]
    W_a, W_b, x, h0 = arguments
    layer = layer_class()(W_a, W_b)
    layer.step(x[:, 0], h0)
    layer.forward(x, h0)
    assert all(torch.equal(value, copy) for value, copy in zip(arguments, copies, strict=True))


# The network of problem 12


@pytest.mark.parametrize(("length", "input_size"), [(1, 3), (13, 3), (13, 4), (5, 1)])
def test_network_equals_the_one_of_torch(length, input_size):
    arrays = network_inputs(length, input_size)
    X, h_0, W_xh, W_hh, b_h = (torch.from_numpy(value) for value in arrays)
    network = torch.nn.RNN(input_size, 4, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        network.weight_ih_l0.copy_(W_xh)
        network.weight_hh_l0.copy_(W_hh)
        network.bias_ih_l0.copy_(b_h)
        network.bias_hh_l0.zero_()
        states, last = network(X, h_0[None])
    result = rnn_forward(*arrays)
    assert list(result) == ["hidden_states", "final_hidden_state"]
    np.testing.assert_allclose(result["hidden_states"], states.numpy(), rtol=0, atol=1e-12)
    np.testing.assert_allclose(result["final_hidden_state"], last[0].numpy(), rtol=0, atol=1e-12)


@pytest.mark.parametrize("integer", ["X", "h_0", "both"])
def test_network_takes_integers(integer):
    X, h_0, *parameters = network_inputs(length=4)
    X = np.arange(24).reshape(2, 4, 3) % 5 - 2 if integer != "h_0" else X
    h_0 = np.array([[1, -2, 0, 3], [0, 1, -1, 2]]) if integer != "X" else h_0
    got = rnn_forward(X, h_0, *parameters)
    expected = rnn_forward(X.astype(float), h_0.astype(float), *parameters)
    for name, value in got.items():
        assert value.dtype == np.float64
        np.testing.assert_array_equal(value, expected[name])


def test_network_leaves_its_arguments_alone():
    arguments = network_inputs()
    copies = [value.copy() for value in arguments]
    rnn_forward(*arguments)
    for value, copy in zip(arguments, copies, strict=True):
        np.testing.assert_array_equal(value, copy)


# The known mistakes


def pitfalls(number: int, *, with_check: bool) -> list[Any]:
    found = [item for item in read_pitfalls(PROBLEMS[number]) if (item.check is not None) == with_check]
    return [pytest.param(item, id=item.slug) for item in found]


def wrong_layer(item: Pitfall) -> Any:
    return loaded(item.source, item.slug).GatedLinearRecurrentLayer


def observed_layer(layers: Any, inputs: tuple[torch.Tensor, ...]) -> list[torch.Tensor]:
    """One call of forward, then of step on the same layer with another state."""
    W_a, W_b, x, h0 = (value.clone() for value in inputs)
    layer = layers(W_a, W_b)
    return [layer.forward(x, h0.clone()), layer.step(x[:, 0], h0 + 1)]


@pytest.mark.parametrize("item", pitfalls(11, with_check=False))
def test_mistakes_of_the_layer_change_what_it_returns(item):
    got, expected = (observed_layer(layers, layer_inputs()) for layers in (wrong_layer(item), layer_class()))
    assert any(
        one.shape != other.shape or (one - other).abs().max() > 1e-3 for one, other in zip(got, expected, strict=True)
    )


def test_second_implementation_skips_step_and_drifts():
    item = named(11, "SecondImplementation")
    W_a, W_b, x, h0 = layer_inputs()
    layer = wrong_layer(item)(W_a, W_b)
    whole, calls, step = layer.forward(x, h0), [], layer.step
    torch.testing.assert_close(whole, layer_class()(W_a, W_b).forward(x, h0), rtol=0, atol=1e-8)
    layer.step = lambda *arguments: calls.append(1) or step(*arguments)
    layer.forward(x, h0)
    assert calls == []
    h, exact = h0, []
    for time in range(13):
        h = step(x[:, time], h)
        exact.append(torch.equal(whole[:, time], h))
    assert not all(exact)


@pytest.mark.parametrize(
    ("slug", "lost"), [("DetachedHistory", {"h0", "x", "W_a", "W_b"}), ("NewParameters", {"W_a", "W_b"})]
)
def test_mistakes_with_gradients_leave_the_values_right(slug, lost):
    found = {}
    for name, layers in (("wrong", wrong_layer(named(11, slug))), ("right", layer_class())):
        W_a, W_b, x, h0 = (value.requires_grad_() for value in layer_inputs())
        states = layers(W_a, W_b).forward(x, h0)
        inputs = {"W_a": W_a, "W_b": W_b, "x": x, "h0": h0}
        gradients = torch.autograd.grad(states[:, -1].sum(), list(inputs.values()), allow_unused=True)
        found[name] = states, dict(zip(inputs, gradients, strict=True))
    assert torch.equal(found["wrong"][0], found["right"][0])
    wrong, right = found["wrong"][1], found["right"][1]
    differing = {name for name in right if wrong[name] is None or not torch.allclose(wrong[name], right[name])}
    assert differing == lost


@pytest.mark.parametrize("item", pitfalls(12, with_check=False))
def test_mistakes_of_the_network_change_what_it_returns(item):
    wrong = loaded(item.source, item.slug).rnn_forward
    X, _, *parameters = network_inputs(input_size=4)  # square, where a forgotten transpose raises nothing
    whole_h_0 = np.array([[1, -2, 0, 3], [0, 1, -1, 2]])  # integers, which one mistake is about
    got, expected = wrong(X, whole_h_0, *parameters), rnn_forward(X, whole_h_0, *parameters)
    assert got.keys() != expected.keys() or any(
        got[name].shape != expected[name].shape
        or got[name].dtype != expected[name].dtype
        or np.abs(got[name] - expected[name]).max() > 1e-5
        for name in expected
    )


def test_initial_state_changed_in_place_leaves_the_values_right():
    wrong = loaded(named(12, "h_0_in_place").source, "h_0_in_place").rnn_forward
    X, h_0, *parameters = network_inputs()
    before = h_0.copy()
    expected = rnn_forward(X, before, *parameters)
    got = wrong(X, h_0, *parameters)
    for name in expected:
        np.testing.assert_allclose(got[name], expected[name], rtol=0, atol=1e-12)
    assert not np.array_equal(h_0, before)


def named(number: int, slug: str) -> Pitfall:
    return next(item for item in read_pitfalls(PROBLEMS[number]) if item.slug == slug)


def test_every_mistake_that_output_cannot_tell_is_tested_above():
    special = {item.slug for number in PROBLEMS for item in read_pitfalls(PROBLEMS[number]) if item.check}
    assert special == {"SecondImplementation", "DetachedHistory", "NewParameters"}
