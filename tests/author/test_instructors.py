"""docs/instructors.md, carried out: problems chosen, one added from its pack, released, graded, mended and updated."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest
from helpers.interrupting import files
from helpers.tutorial import FILES, copy_with_only_problem_1
from helpers.workbooks import ROOT, Completed, workbook

GUIDE = (ROOT / "docs" / "instructors.md").read_text(encoding="utf-8")
COMMANDS = [
    (section[0], line)
    for section in re.split(r"^## ", GUIDE, flags=re.MULTILINE)[1:]
    for line in section.splitlines()
    if line.startswith("workbook ")
]
STUB = "exercises/p20_moving_average.py"
SOLUTION = FILES[0][1]
WRONG = SOLUTION.replace("(1 - alpha) * average + alpha * x[:, t]", "alpha * average + (1 - alpha) * x[:, t]")
MISTAKE = "This matches a known mistake: swaps the weights: alpha for the old average."


def carry_out(line: str, cwd: Path, code: int = 0) -> Completed:
    return workbook(*shlex.split(line)[1:], cwd=cwd, code=code)


def make_tutorials_problem(root: Path) -> None:
    workbook("new", "50", "moving_average", cwd=root, code=0)
    for name, text in FILES:
        (root / name).write_text(text, encoding="utf-8")
    workbook("build", cwd=root, code=0)


@pytest.fixture
def full(copy: Path) -> Path:
    """A copy of the whole workbook, engine included, as an instructor has it."""
    shutil.copytree(ROOT / "src", copy / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    (copy / "README.md").write_text("# Made for tests\n", encoding="utf-8")
    return copy


def test_the_guide_works_as_it_stands(full, tmp_path):
    assert [line.split()[1] for _, line in COMMANDS] == [
        *("remove", "remove", "remove", "add", "release"), *("check", "release", "update", "grade"),
    ]  # fmt: skip
    sections = {number: [line for section, line in COMMANDS if section == number] for number in "12345"}
    course = tmp_path / "course" / "workbook"
    shutil.move(full, course)
    (tmp_path / "author").mkdir()
    author = Path(shutil.copytree(course, tmp_path / "author" / "workbook"))
    copy_with_only_problem_1(author)
    make_tutorials_problem(author)
    workbook("remove", "50", "--out", course.parent / "packs" / "p50_moving_average.zip", cwd=author, code=0)

    for line in sections["1"]:
        assert "is taken out" in carry_out(line, course).out
    assert (course.parent / "packs" / "p14_lstm_lab.zip").is_file()
    assert (course / "packs" / "p11_streaming_step").is_dir()
    (line,) = sections["2"]
    assert f"is in. Its stub is {STUB}" in carry_out(line, course).out
    (line,) = sections["3"]
    carry_out(line, course)
    assert (course.parent / "autumn.zip").is_file()

    learner = Path(shutil.copytree(course.parent / "autumn", course.parent / "learner"))
    assert not list(learner.rglob("solutions"))
    (learner / STUB).write_text(WRONG, encoding="utf-8")
    assert MISTAKE in workbook("grade", "20", cwd=learner, code=1).out

    grader = course / "graders" / "test_p20_moving_average.py"
    text = grader.read_text(encoding="utf-8")
    grader.write_text(text.replace("gives 4, 6, 3 for 4, 8, 0", "mended: gives 4, 6, 3 for 4, 8, 0"), encoding="utf-8")
    for line in sections["4"]:
        carry_out(line, course)
    update, grade = sections["5"]
    done = carry_out(update, learner)
    assert "mended   the checks of problem 20 · Exponential moving average" in done.out
    assert "kept" not in done.out
    assert (learner / STUB).read_text(encoding="utf-8") == WRONG
    assert "mended: gives 4, 6, 3" in carry_out(grade, learner, code=1).out
    (learner / STUB).write_text(SOLUTION, encoding="utf-8")
    carry_out(grade, learner)
    assert "Nothing to do" in carry_out(update, learner).out


def verdicts(root: Path, folder: Path, *numbers: int) -> list[dict[str, Any]]:
    """What grading a folder of submissions gives, but for the seconds it took."""
    done = workbook("grade", *map(str, numbers), "--file", folder, "--json", "--exit-zero", cwd=root, code=0)
    problems: list[dict[str, Any]] = json.loads(done.out)["problems"]
    for problem in problems:
        for check in problem["checks"]:
            del check["seconds"]
    return problems


def test_a_problem_goes_in_and_out_and_the_others_are_graded_as_before(copy, tmp_path):
    (copy / "README.md").write_text("nothing to report\n", encoding="utf-8")
    wrong = tmp_path / "wrong"
    wrong.mkdir()
    for corpus in sorted((ROOT / "tests" / "corpus").iterdir()):
        shutil.copy(min((corpus / "wrong").glob("*.py")), wrong / f"{corpus.name}.py")
    core = [1, 11, 12, 14]
    right = ROOT / "solutions"
    first = [verdicts(copy, right, *core), verdicts(copy, wrong, *core)]
    assert [problem["verdict"] for problem in first[0]] == ["passed"] * 4
    assert [problem["verdict"] for problem in first[1]] == ["failed"] * 4
    before = files(copy)

    make_tutorials_problem(copy)
    made = {name: content for name, content in files(copy).items() if "p50" in name}
    workbook("remove", "50", "--out", tmp_path / "pack", cwd=copy, code=0)
    assert files(copy) == before
    workbook("add", tmp_path / "pack", cwd=copy, code=0)
    assert files(copy) == {**before, **made}
    stub = copy / "exercises" / "p50_moving_average.py"
    stub.write_text(SOLUTION, encoding="utf-8")
    assert "Passed: 10 of 10 points." in workbook("grade", "50", cwd=copy, code=0).out
    stub.write_text(WRONG, encoding="utf-8")
    assert MISTAKE in workbook("grade", "50", cwd=copy, code=1).out
    assert verdicts(copy, wrong, *core[:3]) == first[1][:3]
    workbook("remove", "50", "--out", tmp_path / "pack", cwd=copy, code=0)
    assert {name: content for name, content in files(copy).items() if not name.startswith(".workbook/")} == before
    assert [verdicts(copy, right, *core), verdicts(copy, wrong, *core)] == first
