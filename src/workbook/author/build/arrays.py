"""Records the arrays that a notebook shows: runs the lesson's recipe on the solution and its pitfalls.

The recipe runs only when its sources have changed: another machine may round the last bits differently, and a file
that is made from the same sources must not change for that.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

import numpy as np

from workbook.content.problem import Problem
from workbook.content.reading import read
from workbook.errors import BrokenWorkbook
from workbook.lesson import recorded
from workbook.lesson.recorded import About, as_bytes
from workbook.pitfalls import read_pitfalls
from workbook.seeding import settle, undisturbed

KEY = re.compile(r"[a-z0-9_]+(/[a-z0-9_]+)*")
KINDS = "biuf"  # numpy's letters for kinds of numbers


def sources_digest(problem: Problem) -> str:
    """SHA-256 of all that the arrays are made from."""
    digest = hashlib.sha256()
    for path in (problem.solution, problem.pitfalls, problem.recipe, problem.support):
        content = path.read_bytes() if path.is_file() else b""
        digest.update(f"{path.name} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def stale(problem: Problem) -> bool:
    """Whether a recipe is there whose arrays are not, or were made from other sources."""
    if not problem.recipe.is_file():
        return False
    try:
        return recorded.read(problem.recorded).about.sources != sources_digest(problem)
    except BrokenWorkbook:
        return True


def file_content(problem: Problem) -> bytes:
    """The content of the file of recorded arrays. Raises BrokenWorkbook where the recipe does not work."""
    arrays, groups = run_recipe(problem)
    return as_bytes(arrays, About(sources_digest(problem), groups))


def run_recipe(problem: Problem) -> tuple[dict[str, np.ndarray], dict[str, tuple[str, ...]]]:
    """What the recipe gives, as arrays by key, and the names of the curves in each group (a dict in the recipe's)."""
    where = problem.relative(problem.recipe)
    with undisturbed():
        settle(0)
        try:
            recipe = _module(f"workbook_recipe_{problem.stem}", read(problem, problem.recipe), where)
            solution = _module(
                f"workbook_recorded_{problem.stem}",
                read(problem, problem.solution),
                problem.relative(problem.solution),
            )
            found = recipe.record(solution, Pitfalls(problem))
        except BrokenWorkbook:
            raise
        except Exception as error:
            raise BrokenWorkbook(f"{where} failed ({_place(error, where)}{type(error).__name__}: {error}).") from None
    if not isinstance(found, dict):
        raise BrokenWorkbook(f"{where}: record must return a dict of arrays.")
    arrays: dict[str, np.ndarray] = {}
    groups: dict[str, tuple[str, ...]] = {}
    for key, value in found.items():
        if not isinstance(key, str) or not KEY.fullmatch(key):
            raise BrokenWorkbook(f"{where}: {key!r} is no key: use small letters, digits, _ and /.")
        if isinstance(value, Mapping):
            groups[key] = tuple(map(str, value))
            arrays |= {f"{key}/{n}": _array(where, name, value[name]) for n, name in enumerate(value)}
        else:
            arrays[key] = _array(where, key, value)
    return arrays, groups


class Pitfalls(Mapping[str, ModuleType]):
    """The submission that each pitfall stands for, as a module, by the pitfall's name; made when it is asked for."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._known = {pitfall.name: pitfall for pitfall in read_pitfalls(problem)}
        self._made: dict[str, ModuleType] = {}

    def __getitem__(self, name: str) -> ModuleType:
        if name not in self._known:
            raise BrokenWorkbook(
                f"{self._problem.relative(self._problem.recipe)} asks for the pitfall {name!r}, "
                f"which {self._problem.relative(self._problem.pitfalls)} does not name."
            )
        if name not in self._made:
            pitfall = self._known[name]
            where = self._problem.relative(self._problem.pitfalls)
            self._made[name] = _module(f"workbook_pitfall_{self._problem.stem}_{pitfall.slug}", pitfall.source, where)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


def _module(name: str, source: str, where: str) -> ModuleType:
    module = ModuleType(name)
    sys.modules[name] = module  # dataclasses look for their module there
    exec(compile(source, where, "exec", dont_inherit=True), module.__dict__)
    return module


def _array(where: str, key: str, value: Any) -> np.ndarray:
    array = np.asarray(value)
    if array.dtype.kind not in KINDS:
        raise BrokenWorkbook(f"{where}: {key!r} must be numbers, not {array.dtype}.")
    return np.ascontiguousarray(array).reshape(array.shape)  # of no axes, it would get one


def _place(error: BaseException, where: str) -> str:
    """The last line of the recipe itself that an exception passed through."""
    line, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == where:
            line = trace.tb_lineno
        trace = trace.tb_next
    return f"line {line}, " if line else ""
