"""`workbook new`: a complete problem that works, small and honest, to be edited into the one that is wanted."""

from __future__ import annotations

import re

from workbook.author.build import built_files, lessons
from workbook.content.catalog import Catalog, load, read_problem
from workbook.content.layout import Kind, path_of
from workbook.content.problem import Problem
from workbook.errors import UsageError
from workbook.files.writing import write_whole

SOLUTION = '''"""Problem NUMBER: running total.

Every step adds its input to the total of the steps before it:

    y_t = y_{t-1} + x_t

Fill in the function below, then run:  workbook grade NUMBER
"""

import torch
from jaxtyping import Float
from torch import Tensor


def SLUG(x: Float[Tensor, "batch length"]) -> Float[Tensor, "batch length"]:
    """The running total of each row.

    Args:
        x: one row of numbers for each element of the batch.

    Returns:
        y_1 ... y_length of every row, in the dtype and on the device of x, which is left as it was.

    >>> SLUG(torch.tensor([[1.0, 2.0, 4.0]])).tolist()
    [[1.0, 3.0, 7.0]]
    """
    # BEGIN SOLUTION
    total = torch.zeros_like(x[:, 0])
    totals = []
    for t in range(x.shape[1]):
        total = total + x[:, t]
        totals.append(total)
    return torch.stack(totals, dim=1)
    # END SOLUTION
'''

SETTINGS = """title = "Running total"
difficulty = "easy"
library = "torch"
prerequisites = []
entry_points = ["SLUG"]

# Each hint is one step further; numbers come from the examples below, as {NAME}, so that they cannot go stale.
hints = [
    "Walk over the steps of the second axis and keep one total for each row.",
    "Read x[:, t], which has one number for each row; the first example must give {powers}.",
    "Make a new total at each step, keep them in a list, and stack the list on axis 1.",
]

[limits]
call_seconds = 5
total_seconds = 60
memory_mb = 1024

[[examples]]
name = "powers"
call = "SLUG"
arguments = { x = [[1.0, 2.0, 4.0]] }
returns = [[1.0, 3.0, 7.0]]
"""

PITFALLS = '''"""Known-wrong running totals. Each stands for the solution with `SLUG` replaced by it."""

import torch

from workbook.pitfalls import pitfall


@pitfall("adds over the batch (dim 0) in place of the steps", replaces="SLUG")
def wrong_axis(x):
    return x.cumsum(dim=0)


@pitfall("runs backwards in time", replaces="SLUG")
def backwards(x):
    return x.flip(1).cumsum(dim=1).flip(1)


@pitfall("is one step late: the total before each step", replaces="SLUG")
def one_step_late(x):
    return torch.cat([torch.zeros_like(x[:, :1]), x.cumsum(dim=1)[:, :-1]], dim=1)


@pitfall("changes x in place", replaces="SLUG")
def in_place(x):
    for t in range(1, x.shape[1]):
        x[:, t] += x[:, t - 1]
    return x.clone()
'''

GRADER = '''"""Checks of problem NUMBER. Each docstring is the line the learner reads."""

import pytest

AXES = ("row", "time")


def explain(case, at):
    """The sum at one step, with the total that the reference had before it."""
    row, time = at
    before = case.expected[row, time - 1].item() if time > 0 else 0.0
    return f"y + x = {before:.6g} + {case.args['x'][at].item():.6g} = {case.expected[at].item():.6g}"


@pytest.mark.points(1)
@pytest.mark.hint(1)
def test_hand_example(agree, examples):
    """gives 1, 3, 7 for 1, 2, 4"""
    agree("SLUG", examples["powers"].arguments["x"], axes=AXES, explain=explain)


@pytest.mark.points(2)
@pytest.mark.hint(2)
def test_rows(agree, rng):
    """agrees on several rows of 13 steps"""
    agree("SLUG", rng.normal(size=(3, 13)), axes=AXES, explain=explain)


@pytest.mark.points(1)
@pytest.mark.hint(3)
def test_float32_and_a_single_step(agree, rng):
    """float32 stays float32, and one step is enough"""
    agree("SLUG", rng.normal(size=(2, 5)).float(), axes=AXES)
    agree("SLUG", rng.normal(size=(2, 1)), axes=AXES)


@pytest.mark.points(1)
@pytest.mark.hint(3)
def test_gradients(agree, rng):
    """gradients reach x"""
    agree.gradients("SLUG", rng.normal(size=(2, 5)), cotangent=rng.normal(size=(2, 5)), axes=AXES)


@pytest.mark.points(1)
@pytest.mark.hint(3)
def test_leaves_x_alone(agree, rng):
    """leaves x as it was"""
    agree.unchanged("SLUG", rng.normal(size=(2, 5)))
'''


RECIPE = '''"""The arrays that the notebook of problem NUMBER shows, from the solution and its pitfalls."""

import torch


def record(solution, pitfalls):
    """Everything under one key each; "mistakes" maps a pitfall's name to its curve."""
    x = torch.tensor([[1.0, 2.0, 4.0, -3.0, 0.5, 1.0], [0.5, -1.0, 2.0, 2.0, -4.0, 1.5]])
    right = solution.SLUG(x.clone())
    wrong = {name: module.SLUG(x.clone())[0].numpy() for name, module in pitfalls.items()}
    return {
        "x": x.numpy(),
        "totals": right.numpy(),
        "totals/last": float(right[0, -1]),
        "mistakes/right": right[0].numpy(),
        "mistakes": {name: curve for name, curve in wrong.items() if (curve != right[0].numpy()).any()},
    }
'''

LESSON = """# Problem {{ number }}: {{ title }}

Difficulty: {{ difficulty }}. To know before: {{ prerequisites }}.

{{ signature SLUG }}

Every output is the total of all inputs up to its own step. By hand:

{{ example powers }}

```python
%load_ext workbook
from workbook.lesson import Lesson

lesson = Lesson({{ number }})
```

How does the total move when an input is negative? Here the last one is {{ fact totals/last:.1f }}.

```python
figure, axes = lesson.figure()
axes.plot(lesson.recorded["x"][0], label="input")
axes.plot(lesson.recorded["totals"][0], label="total")
axes.set_xlabel("time step")
axes.legend()
lesson.show(figure, alt="The total climbs with every positive input and falls with the negative one.")
```

## Your turn

{{ hints }}

{{ solve SLUG }}

```python
with lesson.yours() as yours:
    print(yours.SLUG(**lesson.example("powers").arguments))
```

## What goes wrong

```python
lesson.mistakes(alt="Each known mistake as a dashed curve over the right totals.", ylabel="total")
```
"""


def template(number: int, slug: str) -> dict[str, str]:
    """The template's files for a problem, by relative path."""
    stem = f"p{number:02d}_{slug}"
    templates: dict[Kind, str] = {
        "solution": SOLUTION,
        "pitfalls": PITFALLS,
        "grader": GRADER,
        "recipe": RECIPE,
        "lesson": LESSON,
        "settings": SETTINGS,  # last, since this is the file that makes it a problem
    }
    return {
        path_of(kind, stem): text.replace("SLUG", slug).replace("NUMBER", str(number))
        for kind, text in templates.items()
    }


def new_problem(book: Catalog, number: int, slug: str) -> Problem:
    """Write all files of a new problem and build its stub. Raises UsageError and overwrites nothing."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", slug):
        raise UsageError(f"{slug!r} is no name for a problem: use small letters, digits and _, as in moving_average.")
    if not 1 <= number <= 99:
        raise UsageError(f"{number} is no number for a problem: use 1 to 99.")
    for known in (*(problem.stem for problem in book.problems), *book.broken):
        if known.startswith(f"p{number:02d}_"):
            raise UsageError(f"Problem {number} exists already ({known}): choose another number.")
    made = template(number, slug)
    for path in made:
        if (book.root / path).exists():
            raise UsageError(f"{path} exists already: nothing was written.")
    for path, text in made.items():
        write_whole(book.root / path, text)
    problem = read_problem(book.root, book.root / path_of("settings", f"p{number:02d}_{slug}"))
    for built in built_files.stubs(problem):
        built_files.write(built)
    lessons.make(load(book.root), problem)
    return problem
