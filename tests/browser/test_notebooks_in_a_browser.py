"""A learner's way through a notebook, in a real JupyterLab in a real Chromium."""

from __future__ import annotations

import os
import signal

import pytest

from workbook.author.build import lessons
from workbook.workspace import exercise

WRONG = """%%solve 1
def sequential_scan(a, b, h0=None):
    h = torch.zeros_like(a[:, 0])
    states = []
    for t in range(a.shape[1]):
        h = a[:, t] * h + b[:, t]
        states.append(h)
    return torch.stack(states, dim=1)
"""
RIGHT = WRONG.replace("torch.zeros_like(a[:, 0])", "torch.zeros_like(a[:, 0]) if h0 is None else h0")
WIDTHS = (1400, 700)


def test_from_the_first_run_to_a_pass(lab, book, server):
    problem = book.problem(1)
    stub = problem.exercise.read_bytes()
    lab.open(f"notebooks/{problem.notebook.name}")
    lab.run_all()
    assert lab.errors() == []
    solve = lab.cell("%%solve 1")
    assert "not started" in lab.output(solve)
    assert problem.exercise.read_bytes() == stub

    lab.write(solve, WRONG)
    shown = lab.output(solve)
    assert "This matches a known mistake: ignores h0 and starts from zeros." in shown
    assert "Stuck? %hint 1" in shown
    wrong = problem.exercise.read_text(encoding="utf-8")
    assert WRONG.partition("\n")[2].strip() in wrong

    lab.write(solve, RIGHT)
    assert "Passed: 21 of 21 points." in lab.output(solve)
    right = problem.exercise.read_text(encoding="utf-8")
    assert RIGHT.partition("\n")[2].strip() in right
    kept = [path.read_bytes() for path in sorted((book.root / ".workbook" / "backups").glob(f"{problem.stem}.*.py"))]
    assert kept == [stub, wrong.encode()]

    os.killpg(server.process.pid, signal.SIGINT)  # Ctrl-C in the terminal of `workbook notebook`
    assert server.process.wait(60) in (0, 130)


def test_pictures_of_every_notebook(lab, book, request):
    """Every notebook on the reference: nothing fails, and nothing is wider than a narrow window."""
    folder = request.config.getoption("--screenshots")
    if folder is None:
        pytest.skip("pictures are made where they are asked for, with --screenshots=folder")
    folder.mkdir(parents=True, exist_ok=True)
    for problem in book.problems:
        lessons.make(book, problem)
        problem.exercise.write_text(exercise.solution_text(problem) + "\n", encoding="utf-8")
        lab.page.set_viewport_size({"width": WIDTHS[0], "height": 1000})
        lab.open(f"notebooks/{problem.notebook.name}")
        lab.run_all()
        assert lab.errors() == []
        for width in WIDTHS:
            assert lab.pictures(folder, problem.stem, width)
        assert lab.too_wide() == []
