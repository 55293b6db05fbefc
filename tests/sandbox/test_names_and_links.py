"""What a learner named, in every output; what a submission is behind its links; what is said where output or libraries fail."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from workbook.boundary.submission import find_submission
from workbook.content import catalog
from workbook.errors import WorkbookError
from workbook.text import one_line, shown

ROOT = Path(__file__).parents[2]
SOLUTION = ROOT / "solutions" / "p01_sequential_scan.py"
HOSTILE = "a\x1b[31m\nPassed: 21 of 21 points.\r\x9b\u202e\u3164"
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u3164\ufe0f\u2028\u2029]")


def workbook(*arguments: str | Path, code: int, **streams: object) -> str:
    """What the command printed on both streams."""
    done = subprocess.run(
        [sys.executable, "-m", "workbook", *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, "COLUMNS": "200", "NO_COLOR": "1"},
        timeout=120,
        check=False,
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams},  # type: ignore[call-overload]
    )
    text = (done.stdout or b"").decode() + (done.stderr or b"").decode()
    assert done.returncode == code, text
    return text


def copied(folder: Path) -> Path:
    for name in ("exercises", "solutions", "graders"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def safe(text: str) -> None:
    assert not RAW.search(text), ascii(text)
    assert not any(line.startswith("Passed: 21") for line in text.splitlines()), text


# --- names ----------------------------------------------------------------------------------------------------------


def test_a_hostile_file_name_is_escaped_wherever_it_is_shown(tmp_path):
    file = tmp_path / f"{HOSTILE}.py"
    shutil.copy(ROOT / "exercises" / "p01_sequential_scan.py", file)
    safe(workbook("grade", "1", "--file", file, code=1))
    junit = tmp_path / "report.xml"
    report = workbook("grade", "1", "--file", file, "--json", "--junit", junit, code=1)
    safe(report)
    safe(json.loads(report)["problems"][0]["file"])
    safe(junit.read_text(encoding="utf-8"))


def test_a_hostile_folder_and_what_is_in_it_are_escaped(tmp_path):
    folder = tmp_path / HOSTILE
    folder.mkdir()
    safe(workbook("grade", "--file", folder, code=2))
    shutil.copy(SOLUTION, folder / "p01_sequential_scan.py")
    (folder / f"{HOSTILE}.py").touch()
    out = workbook("grade", "--file", folder, code=0)
    safe(out)
    assert "is not graded" in out


@pytest.mark.parametrize("arguments", [("grade", "--file", HOSTILE), ("grade", HOSTILE), (HOSTILE,), ("hint", HOSTILE)])
def test_a_hostile_argument_is_escaped_in_the_usage_error(arguments):
    safe(workbook(*arguments, code=2))


def test_names_of_functions_types_and_keys_are_escaped(tmp_path):
    source = (ROOT / "tests" / "hostile" / "terminal_in_every_place.py").read_text(encoding="utf-8")
    file = tmp_path / "p01_sequential_scan.py"
    for text in (
        source,
        f"def sequential_scan(a, b, h0=None):\n    return {{{HOSTILE!r}: type({HOSTILE[:3]!r}, (), {{}})()}}",
    ):
        file.write_text(text, encoding="utf-8")
        safe(workbook("grade", "--file", file, code=1))
        safe(workbook("grade", "--file", file, "--json", code=1))


def test_every_error_and_every_path_is_one_clean_line():
    for text in (str(WorkbookError(f"{HOSTILE} failed")), shown(Path(HOSTILE)), one_line(HOSTILE)):
        safe(text)
        assert len(text.splitlines()) == 1


# --- links ----------------------------------------------------------------------------------------------------------


def test_a_folder_that_is_a_link_is_refused(tmp_path):
    (tmp_path / "alice").symlink_to(ROOT / "solutions")
    out = workbook("grade", "1", "--file", tmp_path / "alice", code=1)
    assert "alice is a link to another folder" in out


@pytest.mark.parametrize("hidden", ["solutions", "exercises/.pristine", "tests/corpus/p01_sequential_scan/right"])
def test_a_path_that_leads_to_hidden_files_by_any_link_is_refused(hidden, tmp_path):
    problem = catalog.load(ROOT).problem(1)
    (tmp_path / "work").symlink_to(ROOT / hidden)
    file = next(iter(sorted((tmp_path / "work").glob("*.py"))))
    assert "reached by a link" in find_submission(problem, file).fault
    (tmp_path / "up").symlink_to((ROOT / hidden).parent)
    folder = tmp_path / "up" / Path(hidden).name
    if (folder / problem.exercise.name).exists() and not (tmp_path / "up").samefile(ROOT):
        assert "reached by a link" in find_submission(problem, folder).fault
    assert find_submission(problem, file.resolve()).fault == ""  # an author may name it outright


def test_an_exercise_that_links_to_its_solution_is_refused(tmp_path):
    problem = catalog.load(copied(tmp_path)).problem(1)
    assert find_submission(problem, None).fault == ""
    problem.exercise.unlink()
    problem.exercise.symlink_to(problem.solution)
    assert "reached by a link" in find_submission(problem, None).fault


def test_of_a_folder_that_holds_the_workbook_only_the_file_can_be_read(tmp_path):
    problem = catalog.load(copied(tmp_path / "book")).problem(1)
    shutil.copy(SOLUTION, tmp_path)
    (tmp_path / "apart").mkdir()
    shutil.copy(SOLUTION, tmp_path / "apart")
    assert find_submission(problem, tmp_path).folder is None
    assert find_submission(problem, tmp_path / "apart").folder == tmp_path / "apart"


# --- a full device, a library that is none --------------------------------------------------------------------------


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no device that is always full")
@pytest.mark.parametrize("arguments", [(), ("hint", "1"), ("grade", "1", "--json", "--file", str(SOLUTION))])
def test_output_that_finds_no_room_says_why(arguments):
    with open("/dev/full", "wb") as full:
        said = workbook(*arguments, code=3, stdout=full)
    assert said == "The output could not be written (No space left on device): make room, or send it elsewhere.\n"


@pytest.mark.parametrize("source", ["raise RuntimeError('boom')", "x = 1"])
def test_a_torch_that_is_not_the_library_is_named_with_its_place(source, tmp_path, monkeypatch):
    (tmp_path / "torch.py").write_text(source)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    said = workbook("grade", "1", "--file", SOLUTION, code=3)
    assert f"torch from {tmp_path / 'torch.py'}" in said
    assert "rename it or take its folder out of PYTHONPATH" in said
