"""The state of a process that numbers depend on: random generators, threads, default dtype, gradient mode.

The worker and the grader both settle it before each call, so that a learner's code and the reference draw equal numbers
and round alike. Numpy and torch are touched only where something else has imported them.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def settle(seed: int) -> None:
    """Seed every global generator with `seed` (0 <= seed < 2**32), and set one thread, float32 and gradients on."""
    random.seed(seed)
    numpy, torch = _numpy(), _torch()
    if numpy is not None:
        numpy.random.seed(seed)
    if torch is not None:
        # The same numbers as torch.manual_seed, which takes 3 ms to note the seed for devices that are not there.
        torch.default_generator.manual_seed(seed)
        torch.set_num_threads(1)
        torch.set_default_dtype(torch.float32)
        torch.set_grad_enabled(True)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Put back what `settle` changes, and what is drawn from the generators inside, whatever happens in between."""
    state = random.getstate()
    numpy, torch = _numpy(), _torch()
    numpy_state = numpy.random.get_state(legacy=False) if numpy is not None else None
    if torch is not None:
        torch_state = torch.default_generator.get_state()
        threads, dtype, gradients = torch.get_num_threads(), torch.get_default_dtype(), torch.is_grad_enabled()
    try:
        yield
    finally:
        random.setstate(state)
        if numpy is not None:
            numpy.random.set_state(numpy_state)
        if torch is not None:
            torch.default_generator.set_state(torch_state)
            torch.set_num_threads(threads)
            torch.set_default_dtype(dtype)
            torch.set_grad_enabled(gradients)


def _numpy() -> Any:
    return sys.modules.get("numpy")


def _torch() -> Any:
    return sys.modules.get("torch")
