"""The arrays recorded for a lesson: what its pictures show of the solution and of the known mistakes.

One safetensors file a problem. It has a single entry of metadata, since the order of several would change from one
writing to the next: a JSON object with the digest of the sources and the names of the curves in each group.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from workbook.content.layout import folder_of
from workbook.errors import BrokenWorkbook, UsageError

METADATA = "lesson"
MOST_NEAR = 4


@dataclass(frozen=True)
class About:
    """What a file of recorded arrays says of itself.

    `sources` is the digest of what the arrays were made from; `groups` has for each group of curves their names: those
    of the group "mistakes" are recorded as mistakes/0, mistakes/1, ...
    """

    sources: str = ""
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


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
        raise BrokenWorkbook(f"{folder_of('recorded')}/{path.name} is missing: run `workbook build`, or get it again.")
    try:
        with safe_open(path, "numpy") as file:
            about = _about(file.metadata() or {})
            return Recorded({key: file.get_tensor(key) for key in file.keys()}, about)  # noqa: SIM118
    except (SafetensorError, OSError, ValueError, KeyError, TypeError) as error:
        raise BrokenWorkbook(
            f"{folder_of('recorded')}/{path.name} is damaged ({error}): run `workbook build`."
        ) from None


def as_bytes(arrays: Mapping[str, np.ndarray], about: About) -> bytes:
    """The content of such a file: the same bytes for the same arrays."""
    from safetensors.numpy import save

    told = {"sources": about.sources, "names": about.groups}
    return bytes(save(dict(arrays), {METADATA: json.dumps(told, sort_keys=True)}))


def _about(metadata: Mapping[str, str]) -> About:
    told: dict[str, Any] = json.loads(metadata.get(METADATA, "{}"))
    groups = {str(group): tuple(map(str, names)) for group, names in dict(told.get("names", {})).items()}
    return About(str(told.get("sources", "")), groups)
