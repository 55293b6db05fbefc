"""The plain data that every layer shares. All of it is frozen; nothing here imports another module of ours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from workbook.content.layout import RELEASE_FILE


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

    @cached_property
    def exercise(self) -> Path:
        return self.root / "exercises" / f"{self.stem}.py"

    @cached_property
    def settings(self) -> Path:
        return self.root / "exercises" / f"{self.stem}.toml"

    @cached_property
    def pristine(self) -> Path:
        return self.root / "exercises" / ".pristine" / f"{self.stem}.py"

    @cached_property
    def solution(self) -> Path:
        return self.root / "solutions" / f"{self.stem}.py"

    @cached_property
    def pitfalls(self) -> Path:
        return self.root / "solutions" / "pitfalls" / f"{self.stem}.py"

    @cached_property
    def grader(self) -> Path:
        return self.root / "graders" / f"test_{self.stem}.py"

    @cached_property
    def support(self) -> Path:
        return self.root / "graders" / "support" / f"{self.stem}.py"

    @property
    def released(self) -> bool:
        """Whether this is a learner's released copy, in which recorded answers stand in for solution and pitfalls."""
        return (self.root / RELEASE_FILE).is_file()

    @cached_property
    def key(self) -> Path:
        """The answer key of a released copy."""
        return self.root / "keys" / f"{self.stem}.safetensors"

    @cached_property
    def lesson(self) -> Path:
        """The source that the notebook is built from."""
        return self.root / "notebooks" / f"{self.stem}.md"

    @cached_property
    def notebook(self) -> Path:
        return self.root / "notebooks" / f"{self.stem}.ipynb"

    @cached_property
    def recorded(self) -> Path:
        """The arrays that the notebook shows."""
        return self.root / "notebooks" / "recorded" / f"{self.stem}.safetensors"

    @cached_property
    def recipe(self) -> Path:
        """The program that makes these arrays from solution and pitfalls."""
        return self.root / "solutions" / "lessons" / f"{self.stem}.py"
