"""Reads what the content folders say: which problems exist, and each problem's TOML file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast

from workbook.content import layout
from workbook.content.problem import Example, Limits, Problem
from workbook.content.reading import read_toml
from workbook.errors import BrokenWorkbook, UsageError

STEM = re.compile(r"p(\d{2})_([a-z][a-z0-9_]*)")
KEYS = {"title", "difficulty", "library", "prerequisites", "entry_points", "hints", "limits", "examples", "preload"}
REQUIRED = ("title", "difficulty", "library", "entry_points", "hints")
DIFFICULTIES = ("easy", "medium", "hard")


@dataclass(frozen=True)
class Catalog:
    """All problems of one workbook, in the order of their numbers.

    `broken` holds, by its stem, what is wrong with each TOML file that gives no problem: an error for whoever asks for
    that problem, and no reason to stop the others.
    """

    root: Path
    title: str
    problems: tuple[Problem, ...]
    broken: Mapping[str, str] = field(default_factory=dict)

    def problem(self, number: int) -> Problem:
        """The problem with this number. Raises UsageError where there is none, BrokenWorkbook where its file is wrong."""
        for problem in self.problems:
            if problem.number == number:
                return problem
        for stem, reason in self.broken.items():
            if stem.startswith(f"p{number:02d}_"):
                raise BrokenWorkbook(reason)
        known = ", ".join(str(problem.number) for problem in self.problems) or "none"
        raise UsageError(f"There is no problem {number}: choose one of {known}.")

    def by_stem(self, stem: str) -> Problem | None:
        """The problem of this name, if there is one. Raises BrokenWorkbook where its file is wrong."""
        if stem in self.broken:
            raise BrokenWorkbook(self.broken[stem])
        return next((problem for problem in self.problems if problem.stem == stem), None)

    def select(self, numbers: tuple[int, ...] | list[int]) -> tuple[Problem, ...]:
        """The problems asked for, once each and in order; all of them where none is named."""
        if not numbers:
            return self.problems
        return tuple(self.problem(number) for number in sorted(set(numbers)))


def find_root(start: Path | None = None) -> Path:
    """The nearest folder at or above `start`, the current folder, whose pyproject.toml has a [tool.workbook] table."""
    if start is None:
        try:
            start = Path.cwd()
        except OSError:
            raise UsageError("The current folder is gone: change into the workbook's folder first.") from None
    for folder in (start, *start.parents):
        settings = folder / "pyproject.toml"
        if settings.is_file() and "workbook" in _table(read_toml(settings), "tool", settings):
            return folder
    raise UsageError(f"No workbook found in {start} or above: change into the workbook's folder first.")


def load(root: Path, *, may_be_empty: bool = False) -> Catalog:
    """Every problem that has a TOML file in exercises/.

    Raises BrokenWorkbook where no problem is left: with the fault of the first file, or because there is none. With
    `may_be_empty` only a fault of pyproject.toml is raised.
    """
    project = root / "pyproject.toml"
    settings = _table(_table(read_toml(project), "tool", project), "workbook", root)
    title = settings.get("title", root.name)
    files = sorted(root.glob(layout.path_of("settings", "*")))
    if not files and not may_be_empty:
        raise BrokenWorkbook(f"No problem found: {root / layout.folder_of('settings')} has no p01_name.toml file.")
    found: list[Problem] = []
    broken: dict[str, str] = {}
    for path in files:
        try:
            found.append(read_problem(root, path))
        except BrokenWorkbook as error:
            broken[path.stem] = str(error)
    numbers = [problem.number for problem in found]
    for number in {number for number in numbers if numbers.count(number) > 1}:
        twins = [problem for problem in found if problem.number == number]
        names = ", ".join(problem.settings.name for problem in twins)
        for problem in twins:
            broken[problem.stem] = f"Two problems have the number {number} ({names}): rename one of them."
            found.remove(problem)
    if not found and broken and not may_be_empty:
        raise BrokenWorkbook(next(iter(broken.values())))
    return Catalog(root, str(title), tuple(sorted(found, key=lambda problem: problem.number)), broken)


def read_problem(root: Path, path: Path) -> Problem:
    """One problem from its TOML file. Every fault is a BrokenWorkbook that names the file and the key."""
    match = STEM.fullmatch(path.stem)
    if match is None:
        raise BrokenWorkbook(f"{path.name}: a problem's file is named like p01_sequential_scan.toml.")
    data = read_toml(path)

    def fail(reason: str) -> BrokenWorkbook:
        return BrokenWorkbook(f"{path.relative_to(root).as_posix()}: {reason}")

    for key in data:
        if key not in KEYS:
            raise fail(f"unknown key '{key}': the keys are {', '.join(sorted(KEYS))}.")
    for key in REQUIRED:
        if key not in data:
            raise fail(f"the key '{key}' is missing.")
    for key in ("title", "difficulty", "library"):
        if not isinstance(data[key], str) or not data[key]:
            raise fail(f"'{key}' must be a text that is not empty.")
    if data["difficulty"] not in DIFFICULTIES:
        raise fail(f"'difficulty' must be one of {', '.join(DIFFICULTIES)}.")
    if data["library"] not in ("torch", "numpy"):
        raise fail("'library' must be 'torch' or 'numpy'.")
    for key in ("entry_points", "hints"):
        if not _list_of(data[key], str) or not data[key]:
            raise fail(f"'{key}' must be a list of texts that is not empty.")
    if not _list_of(data.get("preload", []), str):
        raise fail("'preload' must be a list of names of modules.")
    if not _list_of(data.get("prerequisites", []), int):
        raise fail("'prerequisites' must be a list of problem numbers.")
    return Problem(
        root=root,
        number=int(match[1]),
        slug=match[2],
        title=data["title"],
        difficulty=data["difficulty"],
        library=cast(Literal["torch", "numpy"], data["library"]),
        entry_points=tuple(data["entry_points"]),
        prerequisites=tuple(data.get("prerequisites", [])),
        preload=tuple(data.get("preload", [])),
        hints=tuple(data["hints"]),
        limits=_limits(data.get("limits", {}), fail),
        examples=tuple(_example(item, data["entry_points"], fail) for item in data.get("examples", [])),
    )


def _limits(table: Any, fail: Any) -> Limits:
    if not isinstance(table, dict):
        raise fail("'limits' must be a table.")
    known = Limits.__dataclass_fields__
    for key, value in table.items():
        if key not in known:
            raise fail(f"unknown limit '{key}': the limits are {', '.join(known)}.")
        if type(value) not in (int, float) or value <= 0:
            raise fail(f"the limit '{key}' must be a number above 0.")
    return Limits(**table)


def _example(item: Any, entry_points: list[str], fail: Any) -> Example:
    allowed = {"name", "call", "arguments", "returns", "decimals"}
    if not isinstance(item, dict) or not {"name", "call", "arguments", "returns"} <= set(item) <= allowed:
        raise fail("each of 'examples' needs name, call, arguments and returns, and may have decimals.")
    if item["call"] not in entry_points:
        raise fail(f"the example '{item['name']}' calls '{item['call']}', which is not an entry point.")
    return Example(**item)


def _list_of(value: Any, kind: type) -> bool:
    return isinstance(value, list) and all(type(item) is kind for item in value)


def _table(data: Mapping[str, Any], key: str, path: Path) -> dict[str, Any]:
    table = data.get(key, {})
    if not isinstance(table, dict):
        raise BrokenWorkbook(f"{path}: '{key}' must be a table.")
    return table
