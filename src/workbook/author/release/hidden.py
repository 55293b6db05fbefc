"""Cuts the hidden checks out of a grader's source: whole functions and classes, with decorators and the comment above."""

from __future__ import annotations

import ast
import re

from workbook.errors import BrokenWorkbook


def cut_hidden(source: str, filename: str) -> tuple[str, int]:
    """The grader without its hidden checks, and how many there were.

    Raises BrokenWorkbook where the grader does not parse, and where something else than a function or class is marked
    `hidden`, such as one case of a parametrised check: that could not be cut.
    """
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        raise BrokenWorkbook(f"{filename}, line {error.lineno}: {error.msg}.") from None
    lines = source.splitlines()
    dropped: set[int] = set()
    count = 0
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and any(map(_is_hidden, node.decorator_list)):
            first = min(item.lineno for item in node.decorator_list) - 1
            while first > 0 and lines[first - 1].startswith("#"):
                first -= 1
            dropped.update(range(first, node.end_lineno or node.lineno))
            count += _checks(node)
    kept = "\n".join(line for number, line in enumerate(lines) if number not in dropped)
    text = re.sub(r"\n{4,}", "\n\n\n", kept).rstrip() + "\n" if dropped else source
    left = next((node for node in ast.walk(ast.parse(text)) if _is_hidden(node)), None)
    if left is not None:
        raise BrokenWorkbook(
            f"{filename}: `mark.hidden` marks a whole check only ({ast.unparse(left)} is elsewhere): "
            "make the hidden part a function of its own."
        )
    return text, count


def _is_hidden(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return _is_hidden(node.func)
    return isinstance(node, ast.Attribute) and node.attr == "hidden" and ast.unparse(node.value).endswith("mark")


def _checks(node: ast.FunctionDef | ast.ClassDef) -> int:
    if isinstance(node, ast.FunctionDef):
        return 1
    return sum(isinstance(item, ast.FunctionDef) and item.name.startswith("test") for item in node.body)
