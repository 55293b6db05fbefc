"""docs/authoring.md, carried out: its files written, its commands run, its problem proved sound."""

from __future__ import annotations

import shlex

import pytest
from helpers.tutorial import FILES, TUTORIAL, copy_with_only_problem_1
from helpers.workbooks import workbook

COMMANDS = [line for line in TUTORIAL.splitlines() if line.startswith("workbook ")]


@pytest.fixture
def small(copy):
    return copy_with_only_problem_1(copy)


def test_the_tutorial_works_as_it_stands(small):
    assert len(FILES) == 6
    assert [command.split()[1] for command in COMMANDS] == ["new", "build", "check", "grade"]
    made = workbook(*shlex.split(COMMANDS[0])[1:], cwd=small, code=0).out
    for path, _ in FILES:
        assert path in made
        assert (small / path).is_file()
    for path, text in FILES:
        (small / path).write_text(text, encoding="utf-8")
    outputs = [workbook(*shlex.split(command)[1:], cwd=small, code=0).out for command in COMMANDS[1:]]
    assert "built  exercises/p50_moving_average.py" in outputs[0]
    assert "built  notebooks/p50_moving_average.ipynb" in outputs[0]
    assert outputs[1].strip().endswith("1 problem sound.")
    assert "Exponential moving average" in outputs[2]
    wrong = FILES[0][1].replace("average = x[:, 0]\n", "average = torch.zeros_like(x[:, 0])\n", 1)
    (small / "exercises" / "p50_moving_average.py").write_text(wrong, encoding="utf-8")
    assert "Wrong value" in workbook("grade", "50", cwd=small, code=1).out


def test_a_new_problem_is_sound_from_the_start(small):
    workbook("new", "7", "running_total", cwd=small, code=0)
    assert workbook("check", "7", cwd=small, code=0).out.strip().endswith("1 problem sound.")
    assert "not started" in workbook("grade", "7", cwd=small, code=1).out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["1", "scan"], "Problem 1 exists already"),
        (["0", "scan"], "use 1 to 99"),
        (["7", "Two-Words"], "is no name for a problem"),
    ],
)
def test_a_name_or_number_that_cannot_be(small, arguments, says):
    before = sorted(small.rglob("*"))
    assert says in workbook("new", *arguments, cwd=small, code=2).err
    assert sorted(small.rglob("*")) == before


def test_new_overwrites_nothing(small):
    mine = small / "graders" / "test_p07_total.py"
    mine.write_text("mine = 1\n", encoding="utf-8")
    assert "exists already: nothing was written" in workbook("new", "7", "total", cwd=small, code=2).err
    assert mine.read_text(encoding="utf-8") == "mine = 1\n"
    assert not (small / "solutions" / "p07_total.py").exists()
