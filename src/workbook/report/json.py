"""A Report as the JSON object that other programs rely on. Its form is a contract: see docs/design.md."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from workbook.results import CheckResult, ProblemResult, Report

VERSION = 1


def as_json(report: Report) -> str:
    """One JSON object, ASCII only, so that no encoding of a terminal or pipe can break it."""
    return json.dumps(as_data(report), indent=2)


def as_data(report: Report) -> dict[str, Any]:
    return {
        "version": VERSION,
        "workbook": report.workbook,
        "isolation": list(report.isolation),
        "problems": [_problem(problem) for problem in report.problems],
    }


def _problem(problem: ProblemResult) -> dict[str, Any]:
    data = asdict(problem)
    data["score"] = None if problem.score is None else _number(problem.score)
    data["max_score"] = _number(problem.max_score)
    data["checks"] = [_check(check) for check in problem.checks]
    return data


def _check(check: CheckResult) -> dict[str, Any]:
    return {**asdict(check), "points": _number(check.points), "max_points": _number(check.max_points)}


def _number(value: float) -> float | int:
    """Whole points as integers."""
    return int(value) if value == int(value) else value
