"""What a notebook uses: recorded arrays, examples, the learner's functions, pictures."""

from __future__ import annotations

import base64
import itertools
import re
import struct

import numpy as np
import pytest
import torch

from workbook.author.build import arrays
from workbook.author.new import new_problem
from workbook.content import catalog
from workbook.errors import BrokenWorkbook, UsageError
from workbook.lesson import Lesson, pictures
from workbook.workspace import exercise


@pytest.fixture
def lesson(copy, monkeypatch):
    """The lesson of problem 1 in a learner's copy, from inside the folder of the notebooks."""
    (copy / "notebooks").mkdir(exist_ok=True)
    monkeypatch.chdir(copy / "notebooks")
    return Lesson(1)


@pytest.fixture
def made(tmp_path, monkeypatch):
    """The lesson of a new problem, with arrays that are known."""
    (tmp_path / "pyproject.toml").write_text('[tool.workbook]\ntitle = "Made"\n', encoding="utf-8")
    new_problem(catalog.Catalog(tmp_path, "Made", ()), 7, "total")
    monkeypatch.chdir(tmp_path / "notebooks")
    return Lesson(7)


@pytest.fixture
def shown(monkeypatch):
    """Everything displayed, as dicts of the forms it was given in."""
    found: list[dict] = []
    monkeypatch.setattr("IPython.display.display", lambda data, raw: found.append(data))
    return found


def write(lesson: Lesson, source: str) -> None:
    lesson.problem.exercise.write_text(source, encoding="utf-8")


def test_recorded_arrays_are_read_only_and_a_wrong_key_lists_near_ones(made):
    totals = made.recorded["totals"]
    np.testing.assert_array_equal(totals[0], [1, 3, 7, 4, 4.5, 5.5])
    with pytest.raises(ValueError, match="read-only"):
        totals[0] = 0
    with pytest.raises(UsageError, match=r"Nothing is recorded as 'total': there are totals, "):
        made.recorded["total"]
    made.problem.recorded.unlink()
    with pytest.raises(BrokenWorkbook, match=r"recorded/p07_total.safetensors is missing"):
        _ = Lesson(7).recorded
    made.problem.recorded.write_bytes(b"\x00" * 100)
    with pytest.raises(BrokenWorkbook, match="is damaged"):
        _ = Lesson(7).recorded


def test_the_examples_are_values_of_the_problems_library(lesson):
    example = lesson.example("half")
    assert example.arguments["a"].dtype == torch.float64
    assert example.returns.flatten().tolist() == [1.0, 1.5, 1.75]
    with pytest.raises(UsageError, match="has no example 'lost': there are half, grow_shrink_flip"):
        lesson.example("lost")


def test_yours_is_what_the_file_says_now(lesson, capsys):
    write(lesson, exercise.solution_text(lesson.problem))
    example = lesson.example("half")
    with lesson.yours() as yours:
        assert yours.sequential_scan(**example.arguments).flatten().tolist() == [1.0, 1.5, 1.75]
        write(lesson, "def sequential_scan(a, b, h0=None):\n    return 7\n")
        assert isinstance(yours.sequential_scan(**example.arguments), torch.Tensor)  # the same within one `with`
    with yours as again:
        assert again.sequential_scan(**example.arguments) == 7
    assert capsys.readouterr().out == ""


UNUSABLE = {
    "stub": (None, "sequential_scan is not written yet"),
    "syntax": ("def sequential_scan(:\n", "exercises/p01_sequential_scan.py, line 1: "),
    "method": (
        "class Layer:\n    def __init__(self):\n        raise NotImplementedError\n\n"
        "def sequential_scan(a, b, h0=None):\n    return Layer()\n",
        "Layer.__init__ is not written yet",
    ),
    "no such name": ("x = 1\n", "does not define sequential_scan: `%grade 1` says more."),
    "raises": (
        "def sequential_scan(a, b, h0=None):\n    raise ValueError('no\\n\\x1b[31m')\n",
        "Your code stopped at exercises/p01_sequential_scan.py, line 2 in sequential_scan (ValueError: no \\x1b[31m)",
    ),
    "raises at import": ("1 / 0\n", "stopped at exercises/p01_sequential_scan.py, line 1 (ZeroDivisionError"),
    "exits": ("import sys\n\nsys.exit(3)\n", "stopped at exercises/p01_sequential_scan.py, line 3 (SystemExit: 3)"),
    "wrong shape": (
        "def sequential_scan(a, b, h0=None):\n    return a[:, :2]\n",
        "What your code returned cannot be used",
    ),
    "cannot be told": (
        "class Odd(Exception):\n    def __str__(self):\n        raise Odd\n\n"
        "def sequential_scan(a, b, h0=None):\n    raise Odd\n",
        "line 6 in sequential_scan (Odd)",
    ),
    "not utf-8": (b"x = '\xff'\n", "cannot be read: `workbook reset 1`"),
}


@pytest.mark.parametrize("case", UNUSABLE)
def test_what_cannot_be_used_is_told_in_one_line_and_the_notebook_goes_on(case, lesson, capsys):
    source, says = UNUSABLE[case]
    if isinstance(source, bytes):
        lesson.problem.exercise.write_bytes(source)
    elif source is not None:
        write(lesson, source)
    example = lesson.example("half")
    with lesson.yours() as yours:
        difference = yours.sequential_scan(**example.arguments) - example.returns
        assert difference.shape == (1, 3, 1), "a wrong shape is no reason for a traceback"
        print("not reached")
    said = capsys.readouterr().out
    assert said.count("\n") == 1
    assert says in said
    assert "not reached" not in said


def test_an_interrupt_passes_through(lesson):
    write(lesson, "def sequential_scan(a, b, h0=None):\n    raise KeyboardInterrupt\n")
    with pytest.raises(KeyboardInterrupt), lesson.yours() as yours:
        yours.sequential_scan(1, 2)


def test_a_picture_has_its_words(lesson, shown):
    figure, axes = lesson.figure(rows=2, columns=2)
    assert axes.shape == (2, 2)
    axes[0, 0].plot([1, 2, 3])
    lesson.show(figure, alt='A line that climbs from 1 to 3, "steadily" & <straight>.')
    (data,) = shown
    assert data["text/plain"] == 'A line that climbs from 1 to 3, "steadily" & <straight>.'
    assert 'alt="A line that climbs from 1 to 3, &quot;steadily&quot; &amp; &lt;straight&gt;."' in data["text/html"]
    picture = base64.b64decode(re.search(r'base64,([^"]+)"', data["text/html"])[1])
    width, _ = struct.unpack(">II", picture[16:24])
    assert width >= 1400
    assert "max-width: 100%" in data["text/html"]
    with pytest.raises(UsageError, match="needs a sentence"):
        lesson.show(lesson.figure()[0], alt="picture")


def test_lines_differ_without_their_colours(lesson):
    _, axes = lesson.figure()
    lines = [axes.plot([0, 1])[0] for _ in range(4)]
    assert len({line.get_linestyle() for line in lines}) == 4
    assert len({line.get_marker() for line in lines}) == 4
    greys = sorted(
        sum(w * int(c[i : i + 2], 16) for w, i in ((0.3, 1), (0.59, 3), (0.11, 5))) for c in pictures.COLOURS[:3]
    )
    assert min(b - a for a, b in itertools.pairwise(greys)) > 25


def test_heat_finds_the_first_departure(lesson):
    _, axes = lesson.figure()
    values = torch.zeros(6, 4, dtype=torch.float64)
    assert lesson.heat(axes, values) is None
    values[4, 0], values[3, 2] = 5.0, -1e-6
    _, axes = lesson.figure()
    assert lesson.heat(axes, values) == (3, 2)
    assert "time step 3, channel 2" in axes.get_title(loc="left")
    values[1, 1] = float("nan")
    _, axes = lesson.figure()
    assert lesson.heat(axes, values) == (1, 1)
    assert axes.images[0].get_array()[1, 1] == 5.0  # as dark as the worst
    with pytest.raises(UsageError, match="time x channel"):
        lesson.heat(axes, values[0])


def test_every_mistake_has_a_panel(made, shown, monkeypatch):
    drawn = []
    panels = pictures.panels
    monkeypatch.setattr(
        pictures, "panels", lambda right, wrong, *rest: drawn.extend(wrong) or panels(right, wrong, *rest)
    )
    names = made.recorded.about.groups["mistakes"]
    made.mistakes(
        alt="Every known mistake over the right totals.", ylabel="total", labels={names[0]: "", names[1]: "B"}
    )
    assert len(shown) == 1
    assert [title for title, _ in drawn] == ["B", *names[2:]]
    right, wrong = made.recorded["mistakes/right"], made.recorded["mistakes/1"]
    assert len(names) >= 2
    figure = panels(right, [("B", wrong)], "time", "total")
    lines = figure.axes[0].get_lines()
    np.testing.assert_array_equal(lines[0].get_ydata(), right)
    np.testing.assert_array_equal(lines[1].get_ydata(), wrong)
    assert figure.axes[0].get_title(loc="left") == "B"
    with pytest.raises(UsageError, match="No mistake is recorded"):
        made.mistakes(alt="Nothing at all to be seen here.", ylabel="", wrong="others/")


def test_it_works_where_solutions_and_pitfalls_are_not_shipped(made, shown):
    made.problem.solution.unlink()
    made.problem.pitfalls.unlink()
    made.problem.recipe.unlink()
    Lesson(7).mistakes(alt="Every known mistake over the right totals.", ylabel="total")
    assert len(shown) == 1
    assert not arrays.stale(made.problem)


def test_a_folder_outside_of_any_workbook(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="No workbook found") as caught:
        Lesson(1)
    assert caught.value._render_traceback_() == [str(caught.value)]
