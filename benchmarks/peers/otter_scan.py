"""The checks of benchmarks/peers.py as an exception-based test file of Otter-Grader."""

import torch
from otter.test_files import test_case

OK_FORMAT = False
name = "scan"
points = 4


def expected(a, b, h0):
    states, h = [], h0
    for t in range(a.shape[1]):
        h = a[:, t] * h + b[:, t]
        states.append(h)
    return torch.stack(states, dim=1)


def inputs():
    generator = torch.Generator().manual_seed(1)
    a, b = torch.rand(2, 13, 3, generator=generator), torch.randn(2, 13, 3, generator=generator)
    return a.double(), b.double(), torch.randn(2, 3, generator=generator).double()


@test_case()
def decay_of_one_half(sequential_scan):
    got = sequential_scan(torch.full((1, 3, 1), 0.5), torch.ones(1, 3, 1))
    torch.testing.assert_close(got, torch.tensor([1.0, 1.5, 1.75]).reshape(1, 3, 1))


@test_case()
def second_hand_example(sequential_scan):
    a, b = torch.tensor([2.0, 3.0, 0.5, -1.0]), torch.tensor([1.0, 1.0, 4.0, 2.0])
    got = sequential_scan(a.reshape(1, 4, 1), b.reshape(1, 4, 1), torch.tensor([[5.0]]))
    torch.testing.assert_close(got, torch.tensor([11.0, 34.0, 21.0, -19.0]).reshape(1, 4, 1))


@test_case()
def many_rows_and_channels(sequential_scan):
    a, b, h0 = inputs()
    torch.testing.assert_close(sequential_scan(a, b), expected(a, b, 0 * h0))


@test_case()
def starts_from_h0(sequential_scan):
    a, b, h0 = inputs()
    torch.testing.assert_close(sequential_scan(a, b, h0), expected(a, b, h0))
