"""Mutants of a solution: its text with one small change inside a solution region, each a mistake someone could make.

Two sets of operators make them: cosmic-ray's for arithmetic, comparisons, conditions, numbers and loops, and those of
`slips.py` for the mistakes of this field, such as a swapped argument or a lost gradient. What stands outside
the regions is given to the learner and is never changed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from workbook.author.build import stubs
from workbook.author.mutation.slips import slips
from workbook.content.problem import Problem
from workbook.content.regions import regions
from workbook.errors import UsageError

ARITHMETIC = ("Add", "Sub", "Mul", "Div", "FloorDiv", "Mod", "Pow")
BITWISE = ("BitOr", "BitAnd", "BitXor", "LShift", "RShift")
# Operators without choices of their own. Left out are those that replace variables at random, and those for decorators
# and exceptions, of which solutions have none.
PLAIN = (
    "AddNot",
    "NumberReplacer",
    "ReplaceAndWithOr",
    "ReplaceBreakWithContinue",
    "ReplaceContinueWithBreak",
    "ReplaceFalseWithTrue",
    "ReplaceOrWithAnd",
    "ReplaceTrueWithFalse",
    "ZeroIterationForLoop",
)


@dataclass(frozen=True)
class Mutant:
    """One changed solution. `kind` says in short what was done; `before` and `after` are the lines that differ."""

    kind: str
    function: str  # "function" or "Class.method"; "" at module level
    line: int
    before: str
    after: str
    source: str


def mutants(problem: Problem, solution: str, *, operators: Iterable[str] | None = None) -> list[Mutant]:
    """All mutants of a solution that are valid Python and differ from it and from one another.

    Args:
        problem: whose solution it is.
        solution: its text.
        operators: names of cosmic-ray's operators; None for all that make sense, () for none.

    Raises UsageError where operators are asked for and cosmic-ray is not installed, BrokenWorkbook for a solution
    that cannot be read.
    """
    where = problem.relative(problem.solution)
    names = stubs.enclosing(solution, where)
    lines = frozenset(line for region in regions(solution, where) for line in range(region.begin + 1, region.end))
    seen = {ast.dump(ast.parse(solution))}
    made = []
    changes = [*_cosmic(solution, lines, operators), *slips(solution, lines, problem.library)]
    for kind, line, changed in changes:
        try:
            tree = ast.dump(ast.parse(changed))
        except (SyntaxError, ValueError):
            continue
        if tree not in seen:
            seen.add(tree)
            before, after = _difference(solution, changed)
            made.append(Mutant(kind, names.get(line, ""), line, before, after, changed))
    return sorted(made, key=lambda mutant: mutant.line)


def _difference(solution: str, changed: str) -> tuple[str, str]:
    """The lines that differ, of both, with the line before them where one side would have none."""
    old, new = solution.splitlines(), changed.splitlines()
    first = 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    if first == min(len(old), len(new)) - last:
        first -= 1
    return "\n".join(old[first : len(old) - last]), "\n".join(new[first : len(new) - last])


def _cosmic(solution: str, lines: frozenset[int], operators: Iterable[str] | None) -> Iterator[tuple[str, int, str]]:
    """(operator, line, changed source) for each place in the lines where one of cosmic-ray's operators applies."""
    if operators == ():
        return
    try:
        from cosmic_ray.ast import ast_nodes, get_ast
        from cosmic_ray.mutating import mutate_code
        from cosmic_ray.plugins import get_operator, operator_names
    except ImportError:
        raise UsageError("cosmic-ray is not installed: `make mutants` installs it and runs this.") from None
    nodes = list(ast_nodes(get_ast(solution)))
    for name in operators if operators is not None else filter(_makes_sense, operator_names()):
        operator: Any = get_operator(name)()
        places = (place for node in nodes for place in operator.mutation_positions(node))
        for occurrence, ((line, _), _) in enumerate(places):
            if line in lines:
                changed = mutate_code(solution, operator, occurrence)
                if changed is not None:
                    yield name.partition("/")[2], line, _tidied(solution, changed)


def _makes_sense(name: str) -> bool:
    """Whether a core operator of this name makes mistakes that fit: arithmetic stays arithmetic, bits stay bits."""
    _, _, operator = name.partition("/")
    family, _, change = operator.partition("_")
    if family == "ReplaceBinaryOperator":
        old, _, new = change.partition("_")
        return (old in ARITHMETIC) == (new in ARITHMETIC) and (old in BITWISE) == (new in BITWISE)
    return family in ("ReplaceComparisonOperator", "ReplaceUnaryOperator") or operator in PLAIN


def _tidied(solution: str, changed: str) -> str:
    """The changed source without the doubled spaces that cosmic-ray leaves, where that changes no meaning."""
    before, after = _difference(solution, changed)
    if before == after or changed.count(after) != 1:
        return changed
    indent = len(after) - len(after.lstrip())
    line = re.sub(r"(?<=[\[(])\s+|(?<=\w=)\s+", "", " ".join(after.split()))
    tidy = changed.replace(after, after[:indent] + line)
    try:
        return tidy if ast.dump(ast.parse(tidy)) == ast.dump(ast.parse(changed)) else changed
    except SyntaxError:
        return changed
