"""What tests do with workbooks: the project's own and its problems, the real command, a release, one check's result."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from workbook.author.release import assemble
from workbook.content import catalog
from workbook.content.problem import Problem
from workbook.results import CheckResult, ProblemResult

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
PROBLEMS = catalog.load(ROOT).problems


@dataclass
class Completed:
    """A finished command: exit code and both streams as text."""

    code: int
    out: str
    err: str


def workbook(*arguments: str | Path, cwd: Path, code: int | None = None) -> Completed:
    """Run the real command in a folder; with `code`, the exit code it must have."""
    done = subprocess.run(
        [sys.executable, "-m", "workbook", *map(str, arguments)],
        cwd=cwd,
        capture_output=True,
        timeout=300,
        env={**os.environ, "COLUMNS": "200", "NO_COLOR": "1"},
        check=False,
    )
    completed = Completed(done.returncode, done.stdout.decode(), done.stderr.decode())
    assert "Traceback" not in completed.err, completed.err
    if code is not None:
        assert completed.code == code, (completed.code, completed.out, completed.err)
    return completed


def check(result: ProblemResult, name: str) -> CheckResult:
    """The result of the check with this function name."""
    found = [item for item in result.checks if item.id.rpartition("::")[2].partition("[")[0] == name]
    assert found, f"no check {name} in {[item.id for item in result.checks]}"
    return found[0]


def only_problem(copy: Path, stem: str) -> Problem:
    """Leave one problem in a copy of the workbook."""
    for path in [*copy.glob("exercises/*.toml"), *copy.glob("graders/test_*.py")]:
        if stem not in path.name:
            path.unlink()
    (copy / "README.md").write_text("# A course\n", encoding="utf-8")
    (problem,) = catalog.load(copy).problems
    return problem


def make_release(copy: Path, out: Path, *, zipped: bool = False) -> Path:
    assemble.release(catalog.load(copy), out, zipped=zipped, say=lambda line: None)
    return out


def own_command(folder: Path, *arguments: str) -> Completed:
    """The command with the engine that is in the released folder, as after `make grade` there."""
    done = subprocess.run(
        [sys.executable, "-m", "workbook", *arguments],
        cwd=folder,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(folder / "src"), "COLUMNS": "200", "NO_COLOR": "1"},
        timeout=300,
        check=False,
    )
    return Completed(done.returncode, done.stdout.decode(), done.stderr.decode())
