"""A released copy grades as the full workbook does: the same verdicts, points, names and messages.

A sample is graded here, tests/problems/test_corpus.py grades all of it in the full workbook; `make release-test` grades everything.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.grading import result_of
from helpers.workbooks import PROBLEMS

from workbook.author.regrade import case_name, cases, changes, golden, summary
from workbook.content import catalog
from workbook.grading.engine import Engine
from workbook.pitfalls import Pitfall, read_pitfalls

EVERYTHING = bool(os.environ.get("WORKBOOK_RELEASE_TEST"))
EACH = {"p14_lstm_lab": 15}  # of a problem that trains, every fifteenth case
OF_OTHERS = 3


def sample(problem, items: list) -> list:
    return items if EVERYTHING else items[:: EACH.get(problem.stem, OF_OTHERS)]


SAVED = [
    pytest.param(problem, path, id=f"{problem.stem}-{case_name(path)}")
    for problem in PROBLEMS
    for path in sample(problem, cases(problem))
]
PITFALLS = [
    pytest.param(problem, pitfall, id=f"{problem.stem}-{pitfall.slug}")
    for problem in PROBLEMS
    for pitfall in sample(problem, list(read_pitfalls(problem)))
]


@pytest.fixture(scope="module")
def learners_engine(released: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    engine = Engine(catalog.load(Path(shutil.copytree(released, tmp_path_factory.mktemp("learner") / "copy"))))
    yield engine
    engine.close()


def graded(engine: Engine, number: int, path: Path):
    return result_of(engine, engine.catalog.problem(number), path)


def told(result) -> list[tuple]:
    return [
        (check.id, check.verdict, check.points, check.max_points, check.message, check.pitfall, check.hint)
        for check in result.checks
    ]


@pytest.mark.parametrize(("problem", "path"), SAVED)
def test_a_saved_submission_gets_the_golden_result(problem, path, learners_engine):
    result = graded(learners_engine, problem.number, path)
    assert list(changes(golden(problem).get(case_name(path)), summary(result))) == []
    assert not [check.message for check in result.checks if "The answer key" in check.message]


@pytest.mark.parametrize(("problem", "pitfall"), PITFALLS)
def test_a_known_mistake_is_told_as_in_the_full_workbook(
    problem, pitfall: Pitfall, learners_engine, engine, tmp_path: Path
):
    path = tmp_path / f"{problem.stem}.py"
    path.write_text(pitfall.source, encoding="utf-8")
    full, public = graded(engine, problem.number, path), graded(learners_engine, problem.number, path)
    assert told(public) == told(full)
    assert (public.verdict, public.score, public.max_score) == (full.verdict, full.score, full.max_score)
    assert pitfall.name in {check.pitfall for check in public.checks}


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.stem)
def test_solution_and_stub_are_graded_alike(problem, learners_engine, engine):
    for path in (problem.solution, problem.pristine):
        full, public = graded(engine, problem.number, path), graded(learners_engine, problem.number, path)
        assert told(public) == told(full)
        assert public.verdict == full.verdict == ("passed" if path == problem.solution else "not_started")


def test_the_pitfalls_of_the_keys_have_no_source(learners_engine):
    for problem in learners_engine.catalog.problems:
        content = learners_engine.content(problem)
        assert len(content.diagnosis.pitfalls) >= 8
        assert {pitfall.source for pitfall in content.diagnosis.pitfalls} == {""}
