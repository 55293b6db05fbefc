"""Cuts the learner's stubs out of the solutions, which are their one source.

A region between "# BEGIN SOLUTION" and "# END SOLUTION" becomes a `raise NotImplementedError` inside a function, and
nothing at module level. A region that is unclosed, nested or closed twice refuses to build: a leak stops the release.
"""

from __future__ import annotations

import ast
import re

from workbook.errors import BrokenWorkbook

BEGIN = re.compile(r"^(\s*)# BEGIN SOLUTION\s*$")
END = re.compile(r"^(\s*)# END SOLUTION\s*$")


def cut_stub(solution: str, filename: str) -> str:
    """The stub for a solution's source text.

    Raises BrokenWorkbook for a region that is not well formed, for a solution without any, and where the result does
    not parse.
    """
    lines = solution.splitlines()
    names = enclosing(solution, filename)
    stub: list[str] = []
    start: int | None = None
    cut = False
    for number, line in enumerate(lines, 1):
        begins, ends = BEGIN.match(line), END.match(line)
        if begins:
            if start is not None:
                raise BrokenWorkbook(
                    f"{filename}, line {number}: a solution region begins inside the one of line {start}."
                )
            start, cut = number, True
            name = names.get(number)
            if name:
                stub.append(f'{begins[1]}raise NotImplementedError("write {name} here")')
        elif ends:
            if start is None:
                raise BrokenWorkbook(f"{filename}, line {number}: a solution region ends that never began.")
            start = None
        elif start is None:
            if "BEGIN SOLUTION" in line or "END SOLUTION" in line:
                raise BrokenWorkbook(f"{filename}, line {number}: a region mark stands alone on its line as a comment.")
            stub.append(line)
    if start is not None:
        raise BrokenWorkbook(f"{filename}, line {start}: this solution region is never closed.")
    if not cut:
        raise BrokenWorkbook(f"{filename}: no solution region, so the stub would be the solution.")
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
