"""Every notebook runs from a clean kernel to its end, on the untouched stub and on the reference; every recipe gives
again what is recorded."""

from __future__ import annotations

import re
import time

import numpy as np
import pytest
from helpers import notebooks
from helpers.workbooks import PROBLEMS

from workbook.author.build import arrays, lessons
from workbook.content import catalog
from workbook.lesson.recorded import read
from workbook.workspace import exercise

FEWEST_PICTURES = 3
UNSOLVED = ("is not written yet", "Your code stopped at", "cannot be used here", "does not define")
SHOWN = re.compile(r"lesson\.(?:show|mistakes)\(")


@pytest.fixture(params=PROBLEMS, ids=lambda problem: problem.stem)
def problem(request, copy):
    """Each problem in a learner's copy, its notebook built."""
    found = catalog.load(copy).problem(request.param.number)
    lessons.make(catalog.load(copy), found)
    return found


def run(problem, tmp_path, record_property):
    start = time.monotonic()
    done = notebooks.run(problem.notebook, scratch=tmp_path)
    record_property("seconds", round(time.monotonic() - start, 1))
    return done


def test_on_the_untouched_stub(problem, tmp_path, record_property):
    before = problem.exercise.read_bytes()
    done = run(problem, tmp_path, record_property)
    assert notebooks.errors(done) == []
    said = notebooks.texts(done)
    assert any("is not written yet" in text for text in said)
    assert any(f"{problem.title}: not started" in text for text in said)
    assert not any("Traceback" in text for text in said)
    assert len(notebooks.pictures(done)) >= FEWEST_PICTURES  # recorded ones need no solution
    assert problem.exercise.read_bytes() == before


def test_on_the_reference(problem, tmp_path, record_property):
    problem.exercise.write_text(exercise.solution_text(problem) + "\n", encoding="utf-8")
    before = problem.exercise.read_bytes()
    done = run(problem, tmp_path, record_property)
    assert notebooks.errors(done) == []
    said = notebooks.texts(done)
    assert [text for text in said if any(words in text for words in UNSOLVED)] == []
    assert any("Passed: " in text for text in said)
    asked = sum(len(SHOWN.findall(cell.source)) for cell in done.cells if cell.cell_type == "code")
    shown = notebooks.pictures(done)
    assert len(shown) == asked >= FEWEST_PICTURES
    assert all(re.search(r'alt="[^"]{20,}"', tag) for tag in shown)
    assert problem.exercise.read_bytes() == before


@pytest.mark.parametrize(
    ("problem", "solved"),
    [*((problem, False) for problem in PROBLEMS), (PROBLEMS[0], True), (PROBLEMS[-1], True)],
    ids=lambda value: value.stem if hasattr(value, "stem") else "reference" if value else "stub",
)
def test_in_a_released_copy(problem, solved, learners, tmp_path):
    """There is no solution, no pitfall and no recipe, and the engine is the copy's own."""
    there = catalog.load(learners).problem(problem.number)
    if solved:
        there.exercise.write_text(exercise.solution_text(problem) + "\n", encoding="utf-8")
    done = notebooks.run(there.notebook, scratch=tmp_path, PYTHONPATH=str(learners / "src"))
    assert notebooks.errors(done) == []
    said = notebooks.texts(done)
    assert any(("Passed: " if solved else f"{problem.title}: not started") in text for text in said)
    assert not any(words in text for text in said for words in ("Traceback", *(UNSOLVED if solved else ())))
    assert len(notebooks.pictures(done)) >= FEWEST_PICTURES


def test_what_is_recorded_is_what_the_recipe_gives(problem):
    values, groups = arrays.run_recipe(problem)
    kept = read(problem.recorded)
    assert kept.about.groups == groups
    assert set(kept) == set(values)
    for key, array in values.items():
        assert kept[key].shape == array.shape, key
        np.testing.assert_allclose(kept[key], array, rtol=1e-4, atol=1e-9, err_msg=key)
