"""Every number that is shown: examples of the TOML files, doctests of the solutions, hints."""

from __future__ import annotations

import doctest
import importlib.util
import re
import sys

import pytest
from helpers.workbooks import PROBLEMS

from workbook.checks.examples import as_case, as_values
from workbook.checks.sides import Side
from workbook.compare.divergence import first_divergence
from workbook.content.hints import hint_text
from workbook.grading.engine import Engine

EXAMPLES = [
    pytest.param(problem, example.name, id=f"{problem.stem}-{example.name}")
    for problem in PROBLEMS
    for example in problem.examples
]


@pytest.mark.parametrize(("problem", "name"), EXAMPLES)
def test_the_reference_gives_the_numbers_of_the_toml_file(problem, name, engine: Engine):
    example = as_values(problem)[name]
    content = engine.content(problem)
    got = as_case(example, content.interface).run(Side(content.reference, content.interface)).value
    assert first_divergence(got, example.returns, tolerance=example.tolerance) is None


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.stem)
def test_the_docstrings_show_what_the_solution_gives(problem, monkeypatch):
    spec = importlib.util.spec_from_file_location(f"solution_{problem.stem}", problem.solution)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    results = doctest.testmod(module)
    assert results.attempted >= 2
    assert results.failed == 0


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.stem)
def test_hints_take_their_numbers_from_the_examples(problem):
    assert len(problem.hints) >= 3
    for number, raw in enumerate(problem.hints, 1):
        shown = hint_text(problem, number)
        assert not re.search(r"\{\w+\}", shown)
        # A decimal fraction written by hand could go stale; 0.5 and the like come in as {example}.
        assert not re.search(r"\d\.\d", raw), raw
