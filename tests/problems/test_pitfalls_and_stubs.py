"""Every shipped file of every problem, graded: solutions pass, stubs are not started, pitfalls fail and are named."""

from __future__ import annotations

import pytest
from helpers.workbooks import PROBLEMS

from workbook.pitfalls import parse_pitfalls, read_pitfalls

PITFALLS = [
    pytest.param(problem, pitfall, id=f"{problem.stem}-{pitfall.slug}")
    for problem in PROBLEMS
    for pitfall in read_pitfalls(problem)
]


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.stem)
def test_the_solution_passes_in_full(problem, grade_file):
    result = grade_file(problem, problem.solution)
    assert [check.message for check in result.checks if check.verdict != "passed"] == []
    assert result.verdict == "passed"
    assert result.score == result.max_score > 0


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.stem)
def test_the_stub_fails_every_check_as_not_started(problem, grade_file):
    result = grade_file(problem, problem.pristine)
    assert {check.verdict for check in result.checks} == {"not_started"}
    assert (result.verdict, result.score) == ("not_started", 0)


@pytest.mark.parametrize(("problem", "pitfall"), PITFALLS)
def test_a_pitfall_fails_and_is_named(problem, pitfall, grade_source):
    result = grade_source(problem.number, pitfall.source)
    assert result.verdict == "failed", [check.message for check in result.checks]
    named = {check.pitfall for check in result.checks if check.verdict == "failed"} - {None}
    assert pitfall.name in named, [(check.id, check.verdict, check.message) for check in result.checks]
    naming = next(check for check in result.checks if check.pitfall == pitfall.name)
    assert pitfall.name in naming.message


def test_every_problem_has_pitfalls():
    for problem in PROBLEMS:
        pitfalls = read_pitfalls(problem)
        assert len(pitfalls) >= 8
        assert len({pitfall.name for pitfall in pitfalls}) == len(pitfalls)


def test_a_pitfall_becomes_a_whole_submission():
    solution = "import math\n\n\ndef area(r):\n    return math.pi * r * r\n\n\ndef twice(r):\n    return 2 * area(r)\n"
    text = (
        "from workbook.pitfalls import pitfall\n\n\ndef half(x):\n    return x / 2\n\n\n"
        '@pitfall("halves the area", replaces="area", check="test_area")\ndef halved(r):\n'
        "    return half(math.pi * r * r)\n"
    )
    (made,) = parse_pitfalls(solution, text, "p.py")
    assert (made.name, made.replaces, made.check) == ("halves the area", "area", "test_area")
    names: dict = {}
    exec(made.source, names)
    assert names["twice"](1) == pytest.approx(3.14159, rel=1e-5)
