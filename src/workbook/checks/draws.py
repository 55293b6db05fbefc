"""The random test data of the checks: a stream of its own for each check, in the problem's own library."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np


class RandomValues:
    """Deterministic draws: float64 (integers: int64) torch tensors or NumPy arrays.

    The stream depends on the seed and the name of the check only, so that adding a check moves no other's data.
    """

    def __init__(self, name: str, library: str, seed: int = 0) -> None:
        self._generator = np.random.default_rng([seed, zlib.crc32(name.encode())])
        self._library = library

    def uniform(self, low: float, high: float, size: int | Sequence[int]) -> Any:
        """Uniform in [low, high), of shape `size`."""
        return self._out(self._generator.uniform(low, high, size))

    def normal(self, size: int | Sequence[int], scale: float = 1.0) -> Any:
        """Normal with mean 0 and standard deviation `scale`, of shape `size`."""
        return self._out(self._generator.normal(0.0, scale, size))

    def integers(self, low: int, high: int, size: int | Sequence[int]) -> Any:
        """Integers in [low, high), of shape `size`."""
        return self._out(self._generator.integers(low, high, size))

    def _out(self, values: Any) -> Any:
        array = np.ascontiguousarray(values)
        if self._library == "numpy":
            return array
        import torch

        return torch.from_numpy(array)
