"""The references of problems 1 and 14 against independent implementations, and the figures of problem 1's mistakes."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from helpers.workbooks import PROBLEMS
from scipy.signal import lfilter

from workbook.pitfalls import read_pitfalls

SCAN, LAB = PROBLEMS[0], PROBLEMS[3]
# What each mistake gives on the second hand example, where it differs from 11, 34, 21, -19.
MISTAKES = {
    "ignores_h0": [1, 4, 6, -4],
    "gate_scales_increment": [12, 39, 21.5, -23.5],
    "next_gate": [16, 9, -5, -3],
    "previous_gate": [6, 13, 43, 23.5],
    "wrapped_gate": [-4, -7, -17, -6.5],
    "moving_average": [9, 25, 14.5, -10.5],
    "h0_not_gated": [6, 19, 13.5, -11.5],
    "states_before": [5, 11, 34, 21],
    "last_state_zero": [11, 34, 21, 0],
    "late_increment": [10, 31, 16.5, -12.5],
    "one_buffer": [-19, -19, -19, -19],
}


def loaded(problem, source: str | None = None) -> dict:
    names: dict = {"__name__": "reference"}
    exec(compile(source or problem.solution.read_text(encoding="utf-8"), problem.solution.name, "exec"), names)
    return names


@pytest.mark.parametrize("gate", [0.0, 0.5, 0.97, -0.8, 1.0])
def test_the_scan_agrees_with_a_filter_of_scipy(gate):
    draws = np.random.default_rng(3)
    b, h0 = draws.normal(size=(2, 17, 3)), draws.normal(size=(2, 3))
    a = np.full_like(b, gate)
    got = loaded(SCAN)["sequential_scan"](*map(torch.from_numpy, (a, b, h0))).numpy()
    for row in range(2):
        for channel in range(3):
            start = [gate * h0[row, channel]]
            expected, _ = lfilter([1.0], [1.0, -gate], b[row, :, channel], zi=start)
            np.testing.assert_allclose(got[row, :, channel], expected, rtol=0, atol=1e-12)


def second_example() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    a, b = torch.tensor([2.0, 3.0, 0.5, -1.0]), torch.tensor([1.0, 1.0, 4.0, 2.0])
    return a.reshape(1, 4, 1), b.reshape(1, 4, 1), torch.tensor([[5.0]])


@pytest.mark.parametrize("slug", MISTAKES)
def test_a_mistake_gives_its_figures_on_the_second_example(slug):
    (pitfall,) = [item for item in read_pitfalls(SCAN) if item.slug == slug]
    assert loaded(SCAN, pitfall.source)["sequential_scan"](*second_example()).flatten().tolist() == MISTAKES[slug]


def test_the_cell_repeated_agrees_with_an_lstm_of_torch():
    torch.manual_seed(4)
    cell = loaded(LAB)["manual_lstm_cell"]
    lstm = torch.nn.LSTM(4, 5, batch_first=True, dtype=torch.float64)
    x = torch.randn(3, 7, 4, dtype=torch.float64)
    hidden, memory = torch.randn(2, 3, 5, dtype=torch.float64)
    expected, (last_hidden, last_memory) = lstm(x, (hidden[None], memory[None]))
    bias = lstm.bias_ih_l0 + lstm.bias_hh_l0
    for step in range(7):
        hidden, memory, _ = cell(x[:, step], hidden, memory, lstm.weight_ih_l0, lstm.weight_hh_l0, bias)
        torch.testing.assert_close(hidden, expected[:, step], rtol=0, atol=1e-12)
    torch.testing.assert_close(hidden, last_hidden[0], rtol=0, atol=1e-12)
    torch.testing.assert_close(memory, last_memory[0], rtol=0, atol=1e-12)
