"""The plain data that every layer shares. All of it is frozen; the paths are those of layout."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from workbook.content.layout import RELEASE_FILE, Kind, path_of


@dataclass(frozen=True)
class Limits:
    """What one submission may use. Seconds are those of the reference machine; the client scales them."""

    call_seconds: float = 5.0
    total_seconds: float = 60.0
    memory_mb: int = 1024


@dataclass(frozen=True)
class Example:
    """A hand-computed example of the TOML file: the one place its numbers are written down."""

    name: str
    call: str  # name of the entry point
    arguments: Mapping[str, Any]
    returns: Any
    decimals: int | None = None  # the places `returns` is rounded to; None where it is exact


def _file(kind: Kind) -> cached_property[Path]:
    """One of a problem's files, whether it is there or not."""

    def path(problem: Problem) -> Path:
        return problem.root / path_of(kind, problem.stem)

    return cached_property(path)


@dataclass(frozen=True)
class Problem:
    """One numbered problem. Its stem names it everywhere, and every path is derived from it."""

    root: Path
    number: int
    slug: str
    title: str
    difficulty: str
    library: Literal["torch", "numpy"]
    entry_points: tuple[str, ...]
    prerequisites: tuple[int, ...] = ()
    preload: tuple[str, ...] = ()  # modules that answers import at some point: imported once, for all of them
    hints: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    examples: tuple[Example, ...] = ()

    @cached_property
    def stem(self) -> str:
        return f"p{self.number:02d}_{self.slug}"

    @property
    def released(self) -> bool:
        """Whether this is a learner's released copy, in which recorded answers stand in for solution and pitfalls."""
        return (self.root / RELEASE_FILE).is_file()

    def relative(self, path: Path) -> str:
        """A path of the workbook as messages show it."""
        return path.relative_to(self.root).as_posix()

    settings = _file("settings")
    exercise = _file("exercise")  # where the learner writes
    pristine = _file("pristine")  # the stub as it was built
    solution = _file("solution")
    excuses = _file("excuses")  # for mutants of the solution that no check can fail
    pitfalls = _file("pitfalls")
    grader = _file("grader")
    support = _file("support")
    key = _file("key")  # of a released copy
    lesson = _file("lesson")  # the source that the notebook is built from
    notebook = _file("notebook")
    recorded = _file("recorded")  # the arrays that the notebook shows
    recipe = _file("recipe")  # the program that makes these arrays from solution and pitfalls
