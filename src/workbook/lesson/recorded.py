"""The arrays recorded for a lesson: what its pictures show of the solution and of the known mistakes.

One safetensors file a problem. It has a single entry of metadata, since the order of several would change from one
writing to the next: a JSON object with the digest of the sources and the names of the mistakes.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from workbook.errors import BrokenWorkbook, UsageError

METADATA = "lesson"
MOST_NEAR = 4


@dataclass(frozen=True)
class About:
    """What a file of recorded arrays says of itself.

    `sources` is the digest of what the arrays were made from; `mistakes` the names of the known mistakes whose curves
    are recorded as mistakes/0, mistakes/1, ...
    """

    sources: str = ""
    mistakes: tuple[str, ...] = ()


class Recorded(Mapping[str, np.ndarray]):
    """Read-only arrays by their keys, such as "decays/states". Facts are arrays without axes."""

    def __init__(self, arrays: Mapping[str, np.ndarray], about: About) -> None:
        self.about = about
        self._arrays = dict(arrays)
        for array in self._arrays.values():
            array.flags.writeable = False

    def __getitem__(self, key: str) -> np.ndarray:
        if key not in self._arrays:
            near = difflib.get_close_matches(key, self._arrays, n=MOST_NEAR, cutoff=0.4) or sorted(self._arrays)
            shown = ", ".join(near[:MOST_NEAR]) or "none at all"
            raise UsageError(f"Nothing is recorded as {key!r}: there are {shown}.")
        return self._arrays[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)


def read(path: Path) -> Recorded:
    """The arrays of a file. Raises BrokenWorkbook where it is missing or damaged."""
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        raise BrokenWorkbook(f"notebooks/recorded/{path.name} is missing: run `workbook build`, or get it again.")
    try:
        with safe_open(path, "numpy") as file:
            about = _about(file.metadata() or {})
            return Recorded({key: file.get_tensor(key) for key in file.keys()}, about)  # noqa: SIM118
    except (SafetensorError, OSError, ValueError, KeyError, TypeError) as error:
        raise BrokenWorkbook(f"notebooks/recorded/{path.name} is damaged ({error}): run `workbook build`.") from None


def as_bytes(arrays: Mapping[str, np.ndarray], about: About) -> bytes:
    """The content of such a file: the same bytes for the same arrays."""
    from safetensors.numpy import save

    told = {"sources": about.sources, "names": list(about.mistakes)}
    return bytes(save(dict(arrays), {METADATA: json.dumps(told)}))


def _about(metadata: Mapping[str, str]) -> About:
    told: dict[str, Any] = json.loads(metadata.get(METADATA, "{}"))
    return About(str(told.get("sources", "")), tuple(map(str, told.get("names", ()))))
