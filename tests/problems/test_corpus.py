"""The saved corpus: unusual right answers pass in full, wrong answers beyond the pitfalls do not pass.

A new case is a file: tests/corpus/<stem>/right/*.py or wrong/*.py, whose docstring says what is special about it.
"""

from __future__ import annotations

import ast

import pytest
from helpers.workbooks import PROBLEMS, TESTS

from workbook.author.regrade import case_name, changes, golden, summary

CORPUS = TESTS / "corpus"
LEAST = {"p01_sequential_scan": (8, 20)}  # right, wrong; the other problems:
OTHERS = (6, 15)


def cases(kind: str) -> list:
    return [
        pytest.param(problem, path, id=f"{problem.stem}-{path.stem}")
        for problem in PROBLEMS
        for path in sorted((CORPUS / problem.stem / kind).glob("*.py"))
    ]


@pytest.mark.parametrize(("problem", "path"), cases("right"))
def test_an_unusual_right_answer_passes(problem, path, grade_file):
    result = grade_file(problem, path)
    assert [(item.title, item.message) for item in result.checks if item.verdict != "passed"] == []
    assert (result.verdict, result.score) == ("passed", result.max_score)
    assert list(changes(golden(problem).get(case_name(path)), summary(result))) == []


@pytest.mark.parametrize(("problem", "path"), cases("wrong"))
def test_a_wrong_answer_fails(problem, path, grade_file):
    result = grade_file(problem, path)
    assert result.verdict == "failed"
    assert result.score < result.max_score
    assert not [item for item in result.checks if item.verdict == "ungraded"]
    assert all(item.message for item in result.checks if item.verdict != "passed")
    # A score or message that changed on purpose is kept by `make golden`, after a look at `make regrade`.
    assert list(changes(golden(problem).get(case_name(path)), summary(result))) == []


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.stem)
def test_the_corpus_is_large_enough_and_says_what_it_holds(problem):
    right, wrong = LEAST.get(problem.stem, OTHERS)
    for kind, least in (("right", right), ("wrong", wrong)):
        files = sorted((CORPUS / problem.stem / kind).glob("*.py"))
        assert len(files) >= least
        for path in files:
            assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), path


def test_a_change_is_shown_and_a_missing_golden_result_is_one():
    old = {"verdict": "failed", "score": 3, "checks": {"test_a": "failed: Wrong value.\nSecond line."}}
    new = {"verdict": "failed", "score": 4, "checks": {"test_b": "error: Wrong shape."}}
    assert list(changes(old, old)) == []
    assert list(changes(None, new)) == ["  no golden result: `make golden` writes it"]
    shown = "\n".join(changes(old, new))
    assert "score: 3 -> 4" in shown
    assert "- failed: Wrong value." in shown
    assert "+ error: Wrong shape." in shown
