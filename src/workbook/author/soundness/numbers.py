"""The numbers a learner reads: examples of the TOML file, doctests of the solution, hints."""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import types
from collections.abc import Iterator

from workbook.author.trial import Trial
from workbook.checks.examples import as_case, as_values
from workbook.checks.sides import Side
from workbook.compare.description import describe
from workbook.compare.divergence import first_divergence
from workbook.seeding import undisturbed

WRITTEN_OUT = re.compile(r"\d\.\d")
FEWEST_DOCTESTS = 1


def stale_numbers(trial: Trial) -> Iterator[str]:
    """Every displayed number that the reference does not give, or that nothing recomputes."""
    problem, content = trial.problem, trial.content
    settings = problem.relative(problem.settings)
    if not problem.examples:
        yield f"{settings}: no hand example: add one under [[examples]]."
    for name, example in as_values(problem).items():
        got = as_case(example, content.interface).run(Side(content.reference, content.interface)).value
        divergence = first_divergence(got, example.returns, tolerance=example.tolerance)
        if divergence is not None:
            # What the file says is the "expected" of this comparison.
            yield f"{settings}: the example {name} is not what the reference gives: {describe(divergence).splitlines()[0]}"
    for number, hint in enumerate(problem.hints, 1):
        if WRITTEN_OUT.search(hint):
            yield f"{settings}: hint {number} has a number written out: take it from an example, as {{name}}."
    yield from _doctests(trial)


def _doctests(trial: Trial) -> Iterator[str]:
    problem = trial.problem
    module = types.ModuleType(f"doctest_{problem.stem}")
    exec(compile(trial.source, str(problem.solution), "exec", dont_inherit=True), module.__dict__)
    output = io.StringIO()
    with undisturbed(), contextlib.redirect_stdout(output):
        results = doctest.testmod(module)
    if results.attempted < FEWEST_DOCTESTS:
        yield f"{problem.relative(problem.solution)}: no docstring shows an example (>>> ...)."
    if results.failed:
        failed = re.findall(r"line (\d+), in (\S+)", output.getvalue())
        places = ", ".join(f"{name.rpartition('.')[2]} (line {line})" for line, name in failed)
        yield f"{problem.relative(problem.solution)}: an example in a docstring does not give what it shows: {places}."
