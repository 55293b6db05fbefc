"""Cuts the learner's stubs out of the solutions, which are their one source.

A solution region becomes a `raise NotImplementedError` inside a function, and nothing at module level. One that is not
well formed refuses to build: a leak stops the release.
"""

from __future__ import annotations

import ast
import re

from workbook.content.regions import regions
from workbook.errors import BrokenWorkbook


def cut_stub(solution: str, filename: str) -> str:
    """The stub for a solution's source text.

    Raises BrokenWorkbook for a region that is not well formed, for a solution without any, and where the result does
    not parse.
    """
    names = enclosing(solution, filename)
    found = regions(solution, filename)
    if not found:
        raise BrokenWorkbook(f"{filename}: no solution region, so the stub would be the solution.")
    lines = solution.splitlines()
    stub: list[str] = []
    end = 0
    for region in found:
        stub += lines[end : region.begin - 1]
        if name := names.get(region.begin):
            stub.append(f'{region.indent}raise NotImplementedError("write {name} here")')
        end = region.end
    stub += lines[end:]
    text = re.sub(r"\n{4,}", "\n\n\n", "\n".join(stub)).rstrip() + "\n"
    try:
        ast.parse(text)
    except SyntaxError as error:
        raise BrokenWorkbook(
            f"{filename}: the stub cut from it is not valid Python (line {error.lineno}: {error.msg})."
        ) from None
    return text


def enclosing(solution: str, filename: str) -> dict[int, str]:
    """For every line inside a function, the function's name; methods as Class.method."""
    try:
        tree = ast.parse(solution)
    except SyntaxError as error:
        raise BrokenWorkbook(f"{filename}, line {error.lineno}: {error.msg}.") from None
    names: dict[int, str] = {}

    def visit(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                # A region may end after the last statement, since it closes with a comment.
                for line in range(child.lineno, (child.end_lineno or child.lineno) + 1):
                    names[line] = f"{prefix}{child.name}"
            elif isinstance(child, ast.ClassDef):
                visit(child, f"{child.name}.")

    visit(tree, "")
    return names
