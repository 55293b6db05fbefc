"""Mutants: where they are made, which die, and what is said of those that do not."""

from __future__ import annotations

import importlib.util
import sys

import pytest

from workbook.author.build import built_files
from workbook.author.mutation import run
from workbook.author.mutation.mutations import Mutant
from workbook.author.mutation.mutations import mutants as made_from
from workbook.content import catalog
from workbook.content.problem import Problem
from workbook.content.regions import regions
from workbook.errors import BrokenWorkbook, UsageError
from workbook.grading.engine import Engine

SOLUTION = '''"""Problem 1: sum of squares."""

import torch
from jaxtyping import Float
from torch import Tensor

SCALE = 2 - 1


def squares(x: Float[Tensor, "length"], y: Float[Tensor, "length"]) -> Float[Tensor, ""]:
    """The sum of x * x + y.

    >>> squares(torch.ones(2), torch.zeros(2)).item()
    2.0
    """
    # BEGIN SOLUTION
    total = torch.zeros_like(x)
    for _ in range(1):
        total = total + x * x
    return (total + y).sum()
    # END SOLUTION


def given(x):
    return x - 1
'''
SETTINGS = """title = "Sum of squares"
difficulty = "easy"
library = "torch"
entry_points = ["squares"]
hints = ["Multiply."]
"""
GRADER = '''"""Checks."""

import pytest


@pytest.mark.points(1)
def test_squares(agree, rng):
    """sums squares"""
    agree("squares", rng.uniform(1, 2, size=(5,)), rng.uniform(1, 2, size=(5,)) * 0)
'''
PITFALLS = '"""None yet."""\n'


@pytest.fixture(scope="module")
def problem(tmp_path_factory: pytest.TempPathFactory) -> Problem:
    """A small problem whose grader never looks at y: it is zero in its only check."""
    root = tmp_path_factory.mktemp("workbook")
    for name, text in {
        "pyproject.toml": '[tool.workbook]\ntitle = "Small"\n',
        "solutions/p01_squares.py": SOLUTION,
        "solutions/pitfalls/p01_squares.py": PITFALLS,
        "graders/test_p01_squares.py": GRADER,
        "exercises/p01_squares.toml": SETTINGS,
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    problem = catalog.load(root).problem(1)
    for built in built_files.stubs(problem):
        built_files.write(built)
    return problem


@pytest.fixture(scope="module")
def small_engine(problem: Problem):
    engine = Engine(catalog.load(problem.root))
    yield engine
    engine.close()


@pytest.fixture
def excuse(problem: Problem):
    """Write the file of excuses, which is removed after the test."""
    path = problem.excuses

    def write(*entries: dict[str, str]) -> None:
        path.write_text(
            "".join(
                "[[excused]]\n" + "".join(f"{key} = '{text}'\n" for key, text in entry.items()) for entry in entries
            )
        )

    yield write
    path.unlink(missing_ok=True)


def mutant(problem: Problem, before: str, after: str) -> Mutant:
    """The one mutant that has `after` in place of `before`."""
    found = [
        each
        for each in made_from(problem, SOLUTION, operators=())
        if (each.before.strip(), each.after.strip()) == (before, after)
    ]
    assert len(found) == 1, [(each.before, each.after) for each in found]
    return found[0]


@pytest.fixture(scope="module")
def wrong(problem: Problem) -> Mutant:
    return mutant(problem, "total = total + x * x", "total = total + x")


@pytest.fixture(scope="module")
def unseen(problem: Problem) -> Mutant:
    return mutant(problem, "return (total + y).sum()", "return (total).sum()")


UNSEEN = {"before": "return (total + y).sum()", "after": "return (total).sum()"}


def test_a_mutant_that_a_check_fails_is_dead_and_another_survives(small_engine, problem, wrong, unseen):
    outcome = run.put_to_test(small_engine, problem, [wrong, unseen])
    assert [(fate.mutant, fate.check) for fate in outcome.dead] == [(wrong, "test_squares")]
    assert [fate.mutant for fate in outcome.survivors] == [unseen]
    lines = list(run.lines_of(problem, outcome))
    assert lines[0] == "Problem 1 · Sum of squares: 2 mutants, 1 dead, 0 excused, 1 survived"
    assert lines[1] == "  survived  squares, solutions/p01_squares.py:20, operand dropped"
    assert [line.split() for line in lines[2:]] == [
        ["-", "return", "(total", "+", "y).sum()"],
        ["+", "return", "(total).sum()"],
    ]


def test_an_excused_survivor_is_counted_with_its_reason(small_engine, problem, wrong, unseen, excuse):
    # The spaces of the file need not be those of the solution.
    excuse({**UNSEEN, "before": "return  (total+y).sum()", "reason": "y is zero."})
    outcome = run.put_to_test(small_engine, problem, [wrong, unseen])
    assert (len(outcome.dead), len(outcome.excused), outcome.survivors, outcome.faults) == (1, 1, [], ())
    lines = list(run.lines_of(problem, outcome))
    assert lines[0].endswith("2 mutants, 1 dead, 1 excused, 0 survived")
    assert lines[1:] == [
        "  excused   squares: return (total + y).sum()  ->  return (total).sum()",
        "            y is zero.",
    ]


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"before": "return y", "after": "return x", "reason": "None."}, "no mutant is like this"),
        ({**UNSEEN, "reason": "None.", "function": "given"}, "no mutant is like this"),
        (
            {"before": "total = total + x * x", "after": "total = total + x", "reason": "None."},
            "test_squares fails this mutant",
        ),
    ],
)
def test_an_excuse_that_excuses_nothing_is_stale(small_engine, problem, wrong, unseen, excuse, entry, said):
    excuse(entry)
    outcome = run.put_to_test(small_engine, problem, [wrong, unseen])
    assert len(outcome.faults) == 1
    assert said in outcome.faults[0]
    assert f"  stale     {outcome.faults[0]}" in list(run.lines_of(problem, outcome))


def test_a_line_that_two_functions_have_is_excused_in_one_only(small_engine, problem, unseen, excuse):
    elsewhere = Mutant("", "other", 30, unseen.before, unseen.after, unseen.source)
    excuse({**UNSEEN, "reason": "None."})
    outcome = run.put_to_test(small_engine, problem, [unseen, elsewhere])
    assert "in other and in squares: say which" in outcome.faults[0]
    excuse({**UNSEEN, "reason": "None.", "function": "squares"})
    outcome = run.put_to_test(small_engine, problem, [unseen, elsewhere])
    assert (outcome.faults, [fate.mutant for fate in outcome.survivors]) == ((), [elsewhere])


def test_a_mutant_that_never_ends_is_dead(small_engine, problem, monkeypatch):
    monkeypatch.setattr(run, "LEAST_SECONDS", 0.3)
    endless = SOLUTION.replace("total = total + x * x", "\n        while True: pass")
    outcome = run.put_to_test(small_engine, problem, [Mutant("", "squares", 19, "", "", endless)])
    assert [fate.check for fate in outcome.dead] == ["test_squares"]


def test_the_limits_and_the_solution_are_as_before(small_engine, problem, wrong):
    run.put_to_test(small_engine, problem, [wrong])
    assert small_engine.catalog.problem(1) == problem
    assert problem.solution.read_text(encoding="utf-8") == SOLUTION


def test_only_solution_regions_are_changed(problem):
    assert [(region.begin, region.end) for region in regions(SOLUTION, "p01.py")] == [(16, 21)]
    made = made_from(problem, SOLUTION, operators=())
    assert len(made) > 20
    assert {each.line for each in made} == {17, 18, 19, 20}
    for each in made:
        assert each.source.splitlines()[:16] == SOLUTION.splitlines()[:16]
        assert each.source.endswith(SOLUTION[SOLUTION.index("    # END SOLUTION") :])
    assert len({each.source for each in made}) == len(made)
    assert SOLUTION not in {each.source for each in made}


@pytest.mark.parametrize(
    ("kind", "after"),
    [
        ("statements swapped", "for _ in range(1): total = total + x * x total = torch.zeros_like(x)"),
        ("statement dropped", "pass"),
        ("loop left early", "total = total + x * x break"),
        ("range reversed", "for _ in reversed(range(1)):"),
        ("another argument", "total = total + x * y"),
        ("operand dropped", "total = total + x"),
        ("sibling", "return (total + y).mean()"),
        ("gradient lost", "return (total + y).sum().detach()"),
        ("call dropped", "return (total + y)"),
    ],
)
def test_slips_of_each_kind(problem, kind, after):
    made = made_from(problem, SOLUTION, operators=())
    assert after in {" ".join(each.after.split()) for each in made if each.kind == kind}


def test_slips_in_calls_indices_and_contexts(problem):
    body = """    # BEGIN SOLUTION
    for place in range(1):
        x[place] = y[place]
    with torch.no_grad():
        pairs = torch.cat([x[1:], y.clone()], dim=0), {"a": x - y, "b": x @ y.T}
    return pairs["é" and "a"]
    # END SOLUTION
"""
    head, _, rest = SOLUTION.partition("    # BEGIN SOLUTION\n")
    source = head + body + rest.partition("    # END SOLUTION\n")[2]
    afters = {" ".join(each.after.split()) for each in made_from(problem, source, operators=())}
    line = 'pairs = torch.cat([x[1:], y.clone()], dim=0), {"a": x - y, "b": x @ y.T}'
    for old, new in (
        (", dim=0)", ")"),
        ("x[1:]", "x[:]"),
        ("y.clone()", "y"),
        ("x[1:], y.clone()", "y.clone(), x[1:]"),
        ("x - y", "y - x"),
        ("x @ y.T", "x @ y"),
        ("x @ y.T", "x * y.T"),
    ):
        changed = line.replace(old, new)
        assert changed.replace('"', "'") in {after.replace('"', "'") for after in afters}
    assert {"if True:", "x[place] = y[place - 1]", "x[place + 1] = y[place]"} <= afters
    assert 'return pairs["é" and "b"]' in afters


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[excused]]\nbefore = 'a'\nafter = 'b'\n", "entry 1 needs before, after and reason"),
        ("[[excused]]\nbefore = 'a'\nafter = 'b'\nreason = ''\n", "entry 1 needs before, after and reason"),
        ("[[excused]]\nbefore = 'a'\nafter = 'b'\nreason = 'c'\nwhy = 'd'\n", "entry 1 needs before, after and reason"),
        ("excuses = 1\n", "holds [[excused]] entries and nothing else"),
        ("= 1\n", "is not valid TOML"),
    ],
)
def test_a_file_of_excuses_that_is_wrong_is_named(problem, excuse, text, said):
    excuse()
    problem.excuses.write_text(text, encoding="utf-8")
    with pytest.raises(BrokenWorkbook, match=r"solutions/p01_squares\.mutants\.toml") as raised:
        run.read_excuses(problem)
    assert said in str(raised.value)


def test_a_solution_that_does_not_pass_is_not_mutated(small_engine, problem, wrong):
    problem.solution.write_text(SOLUTION.replace("x * x", "x * x + missing"), encoding="utf-8")
    try:
        with pytest.raises(BrokenWorkbook, match="does not pass"):
            run.put_to_test(small_engine, problem, [wrong])
    finally:
        problem.solution.write_text(SOLUTION, encoding="utf-8")


def test_exit_codes(small_engine, problem, unseen, wrong, excuse, monkeypatch, capsys):
    monkeypatch.chdir(problem.root)
    monkeypatch.setattr(small_engine, "close", lambda: None)
    monkeypatch.setattr(run, "Engine", lambda book: small_engine)
    monkeypatch.setattr(run, "mutants", lambda problem, source: [wrong, unseen])
    assert run.main(["1"]) == 1
    assert "+     return (total).sum()" in capsys.readouterr().out
    excuse({**UNSEEN, "reason": "y is zero."})
    assert run.main([]) == 0
    assert "2 mutants, 1 dead, 1 excused, 0 survived" in capsys.readouterr().out
    assert run.main(["7"]) == UsageError.exit_code
    assert run.main(["one"]) == UsageError.exit_code


def test_without_cosmic_ray_one_line_says_what_to_do(problem, monkeypatch):
    monkeypatch.setitem(sys.modules, "cosmic_ray.ast", None)
    with pytest.raises(UsageError, match="make mutants"):
        made_from(problem, SOLUTION)


@pytest.mark.skipif(importlib.util.find_spec("cosmic_ray") is None, reason="cosmic-ray is in the extra `mutants` only")
def test_operators_of_cosmic_ray(problem):
    made = made_from(problem, SOLUTION)
    afters = {each.after.strip() for each in made if each.kind[0].isupper()}
    assert {"total = total - x * x", "for _ in range(2):", "for _ in []:"} <= afters
    assert {each.line for each in made} == {17, 18, 19, 20}
    assert made == made_from(problem, SOLUTION)
