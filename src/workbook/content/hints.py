"""The text of a hint, with the numbers of the examples in their places."""

from __future__ import annotations

from typing import Any

from workbook.content.problem import Problem
from workbook.errors import BrokenWorkbook


def hint_text(problem: Problem, number: int) -> str:
    """Hint `number` (from 1), its {NAME} placeholders filled from the examples, the one source of those numbers."""
    if not 1 <= number <= len(problem.hints):
        raise BrokenWorkbook(f"Problem {problem.number} has no hint {number}.")
    values = {example.name: _flat_text(example.returns) for example in problem.examples}
    try:
        return problem.hints[number - 1].format_map(values)
    except (KeyError, ValueError, IndexError) as error:
        raise BrokenWorkbook(
            f"{problem.relative(problem.settings)}: hint {number} has a placeholder that names no example ({error})."
        ) from None


def _flat_text(value: Any) -> str:
    """Numbers of a nested list in reading order: what a sentence can show of a small tensor."""
    if isinstance(value, list):
        return ", ".join(_flat_text(item) for item in value)
    if isinstance(value, dict):
        return "; ".join(f"{key} {_flat_text(item)}" for key, item in value.items())
    return f"{value:g}" if isinstance(value, float) else str(value)
