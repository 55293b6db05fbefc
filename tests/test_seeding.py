"""Both sides draw equal numbers, and whoever called is left undisturbed."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import torch
from helpers.workbooks import ROOT

from workbook.seeding import settle, undisturbed
from workbook.wire.codec import encode


@pytest.fixture(autouse=True)
def _put_back() -> Any:
    with undisturbed():
        yield


def draws() -> tuple[Any, ...]:
    return (
        random.random(),
        np.random.normal(),
        float(torch.randn(())),
        float(torch.nn.Linear(3, 2).weight.detach().sum()),
        torch.randperm(10).tolist(),
    )


def state() -> tuple[Any, ...]:
    return (
        random.getstate(),
        repr(np.random.get_state()),
        torch.get_rng_state().tolist(),
        torch.get_num_threads(),
        torch.get_default_dtype(),
        torch.is_grad_enabled(),
    )


@pytest.mark.parametrize("seed", [0, 7, 2**32 - 1])
def test_equal_seeds_give_equal_numbers(seed: int) -> None:
    settle(seed)
    first = draws()
    assert draws() != first
    settle(seed)
    assert draws() == first
    settle((seed + 1) % 2**32)
    assert all(a != b for a, b in zip(draws(), first, strict=True))


def test_the_numbers_are_those_of_the_libraries_own_seeding() -> None:
    settle(5)
    settled = draws()
    random.seed(5)
    np.random.seed(5)
    torch.manual_seed(5)
    assert draws() == settled


def test_threads_dtype_and_gradients_are_settled() -> None:
    torch.set_num_threads(2)
    torch.set_default_dtype(torch.float64)
    torch.set_grad_enabled(False)
    settle(1)
    assert (torch.get_num_threads(), torch.get_default_dtype(), torch.is_grad_enabled()) == (1, torch.float32, True)


def test_a_swapped_state_of_a_normal_draw_is_settled() -> None:
    settle(3)
    first = random.gauss(0, 1), np.random.normal(), np.random.normal()
    random.gauss(0, 1), np.random.normal()  # each leaves the second of a pair for later
    settle(3)
    assert (random.gauss(0, 1), np.random.normal(), np.random.normal()) == first


@pytest.mark.parametrize("fails", [False, True])
def test_undisturbed_puts_everything_back(fails: bool) -> None:
    torch.set_num_threads(2)
    torch.set_default_dtype(torch.float64)
    torch.set_grad_enabled(False)
    np.random.normal()
    before = state()
    try:
        with undisturbed():
            settle(9)
            draws()
            assert state() != before
            if fails:
                raise KeyError
    except KeyError:
        assert fails
    assert state() == before


def test_neither_numpy_nor_torch_is_imported_before_it_is_needed() -> None:
    program = (
        "import sys; from workbook.wire.codec import decode, encode, normalise; import workbook.text, workbook.seeding as a\n"
        "value = [1, 2.5, 'a', {None: (1j, 2**70)}]\n"
        "assert decode(encode(normalise(value))) == value\n"
        "a.settle(3)\n"
        "with a.undisturbed(): pass\n"
        "assert not {'numpy', 'torch'} & set(sys.modules)\n"
        f"assert decode({encode(np.arange(3))!r}).tolist() == [0, 1, 2]\n"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)
