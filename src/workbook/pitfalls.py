"""Known-wrong implementations: how they are declared, and the submission that each one stands for.

A pitfalls file is read as text, never imported by the grader: a pitfall becomes the solution's text with one name
replaced, which runs both as a submission (to prove the grader) and beside the reference (to name a mistake).
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from workbook.content.problem import Problem
from workbook.content.reading import read
from workbook.errors import BrokenWorkbook

Definition = TypeVar("Definition")


def pitfall(name: str, *, replaces: str, check: str | None = None) -> Callable[[Definition], Definition]:
    """Mark a function or class as a known mistake. `name` is the line the learner reads when their output matches.

    Args:
        name: a clause that says what was done, such as "ignores h0 and starts from zeros".
        replaces: the name of the solution that this definition takes the place of.
        check: the one check that exists for it, where the output of an ordinary call cannot tell.
    """
    return lambda definition: definition


@dataclass(frozen=True)
class Pitfall:
    """One known mistake, and the complete source of the submission it stands for."""

    name: str
    slug: str
    replaces: str
    check: str | None
    source: str


def read_pitfalls(problem: Problem) -> tuple[Pitfall, ...]:
    """All pitfalls of a problem, in file order; none where the file is not there (a release has none)."""
    if not problem.pitfalls.is_file():
        return ()
    solution, pitfalls = read(problem, problem.solution), read(problem, problem.pitfalls)
    return parse_pitfalls(solution, pitfalls, problem.relative(problem.pitfalls))


def parse_pitfalls(solution: str, text: str, filename: str) -> tuple[Pitfall, ...]:
    try:
        body = ast.parse(text).body
    except SyntaxError as error:
        raise BrokenWorkbook(f"{filename}, line {error.lineno}: {error.msg}.") from None
    shared, marked = [], []
    for node in body:
        mark = _mark(node)
        if mark is not None:
            marked.append((node, mark))
        elif not (isinstance(node, ast.ImportFrom) and node.module == "workbook.pitfalls"):
            shared.append(_text(text, node))
    pitfalls = []
    for node, mark in marked:
        assert isinstance(node, ast.FunctionDef | ast.ClassDef)
        fields = _fields(mark, filename)
        source = "\n\n".join([solution.rstrip(), *shared, _text(text, node), f"{fields['replaces']} = {node.name}\n"])
        pitfalls.append(Pitfall(str(fields["name"]), node.name, str(fields["replaces"]), fields.get("check"), source))
    return tuple(pitfalls)


def _mark(node: ast.stmt) -> ast.Call | None:
    if not isinstance(node, ast.FunctionDef | ast.ClassDef):
        return None
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and isinstance(decorator.func, ast.Name) and decorator.func.id == "pitfall":
            return decorator
    return None


def _fields(mark: ast.Call, filename: str) -> dict[str, str | None]:
    try:
        fields = {str(item.arg): ast.literal_eval(item.value) for item in mark.keywords}
        fields["name"] = ast.literal_eval(mark.args[0])
        fields["replaces"] = str(fields["replaces"])
    except (ValueError, IndexError, KeyError):
        raise BrokenWorkbook(
            f'{filename}, line {mark.lineno}: write @pitfall("what was done", replaces="name").'
        ) from None
    return fields


def _text(source: str, node: ast.stmt) -> str:
    """Source of a definition without its @pitfall decorator; other decorators stay."""
    lines = source.splitlines()
    first = node.lineno - 1
    kept = []
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        kept = [
            "@" + (ast.get_source_segment(source, item) or "")
            for item in node.decorator_list
            if item is not _mark(node)
        ]
    return "\n".join([*kept, *lines[first : node.end_lineno]])
