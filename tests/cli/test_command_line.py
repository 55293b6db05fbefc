"""The command line on a copy of the workbook: what each command prints, changes and exits with."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET

import pytest
from helpers.workbooks import PROBLEMS, ROOT, workbook

from workbook.cli import overview

SCAN = PROBLEMS[0]
CHECKS = SCAN.grader.read_text(encoding="utf-8").count("\ndef test_")
POINTS = sum(map(int, re.findall(r"mark\.points\((\d+)\)", SCAN.grader.read_text(encoding="utf-8"))))
STUB = SCAN.pristine.read_text(encoding="utf-8")
WRONG = (ROOT / "docs" / "examples" / SCAN.stem / "values.py").read_text(encoding="utf-8")


def exercise(copy):
    return copy / "exercises" / f"{SCAN.stem}.py"


def test_the_first_run_leads_to_the_first_exercise(copy):
    done = workbook("grade", "--exit-zero", cwd=copy, code=0)
    lines = done.out.strip().splitlines()
    assert lines[:4] == [f"Problem {item.number} · {item.title}: not started" for item in PROBLEMS]
    path = os.path.join("exercises", f"{SCAN.stem}.py")
    assert lines[-1].startswith(f"Start here: open {path}, write sequential_scan where it says NotImplementedError")
    assert lines[-1].endswith("workbook grade 1`.")


def test_the_overview_knows_what_was_graded_and_what_changed(copy):
    first = workbook(cwd=copy, code=0).out
    assert "not started" in first
    assert "Next: open" in first
    shutil.copy(SCAN.solution, exercise(copy))
    workbook("grade", "1", cwd=copy, code=0)
    passed = workbook(cwd=copy, code=0).out
    assert f"{POINTS} of {POINTS}" in passed
    assert f"Next: open {os.path.join('exercises', PROBLEMS[1].stem)}.py" in passed
    exercise(copy).write_text(WRONG, encoding="utf-8")
    assert "passed, changed since" in workbook(cwd=copy, code=0).out


@pytest.mark.parametrize("columns", [30, 44, 80])
def test_the_overview_fits_a_narrow_terminal(copy, monkeypatch, capsys, columns):
    shutil.copy(SCAN.solution, exercise(copy))
    workbook("grade", "1", cwd=copy, code=0)
    monkeypatch.chdir(copy)
    monkeypatch.setenv("COLUMNS", str(columns))
    overview.show()
    table, _, _ = capsys.readouterr().out.partition("\n\n")
    assert max(map(len, table.splitlines())) <= columns
    words = " ".join(table.split())
    for fact in (
        *(problem.title for problem in PROBLEMS),
        f"{POINTS} of {POINTS}",
        "after 12",
        "medium",
        "not started",
    ):
        assert fact in words


def test_grade_by_number_goes_on_to_the_next(copy):
    shutil.copy(SCAN.solution, exercise(copy))
    done = workbook("grade", "1", cwd=copy, code=0)
    assert f"Passed: {POINTS} of {POINTS} points." in done.out
    assert done.out.strip().splitlines()[-1].startswith(f"Next: open exercises/{PROBLEMS[1].stem}.py")


def test_exit_codes_of_a_wrong_answer(copy):
    exercise(copy).write_text(WRONG, encoding="utf-8")
    workbook("grade", "1", cwd=copy, code=1)
    workbook("grade", "1", "--exit-zero", cwd=copy, code=0)


def test_json_is_one_object_and_nothing_else(copy):
    exercise(copy).write_text("print('noise')\n" + WRONG, encoding="utf-8")
    done = workbook("grade", "1", "--json", cwd=copy, code=1)
    assert done.err == ""
    data = json.loads(done.out)
    assert data["version"] == 1
    assert set(data) == {"version", "workbook", "isolation", "problems"}
    assert "process" in data["isolation"]
    (problem,) = data["problems"]
    assert set(problem) == {
        "number", "slug", "title", "file", "sha256", "grader", "verdict", "score", "max_score", "checks", "message",
        "hidden",
    }  # fmt: skip
    assert (problem["number"], problem["slug"], problem["verdict"]) == (1, "sequential_scan", "failed")
    assert 0 < problem["score"] < problem["max_score"] == POINTS
    assert problem["file"] == f"exercises/{SCAN.stem}.py"
    checks = {check["id"].rpartition("::")[2]: check for check in problem["checks"]}
    item = checks["test_starts_from_h0"]
    assert set(item) == {
        "id", "title", "verdict", "points", "max_points", "message", "pitfall", "hint", "output", "seconds",
    }  # fmt: skip
    assert item["id"] == "graders/test_p01_sequential_scan.py::test_starts_from_h0"
    assert item["title"] == "starts from the supplied h0"
    assert (item["verdict"], item["points"], item["max_points"], item["hint"]) == ("failed", 0, 2, 3)
    assert item["pitfall"] == "ignores h0 and starts from zeros"
    assert checks["test_decay_of_one_half"]["output"] == "noise\n"


def test_an_ungraded_problem_has_no_score(copy):
    (copy / "graders" / "test_p01_sequential_scan.py").unlink()
    done = workbook("grade", "1", "--json", "--exit-zero", cwd=copy, code=3)
    (problem,) = json.loads(done.out)["problems"]
    assert (problem["verdict"], problem["score"]) == ("ungraded", None)


def test_junit_has_every_check(copy, tmp_path):
    exercise(copy).write_text(WRONG, encoding="utf-8")
    workbook("grade", "1", "--junit", tmp_path / "report.xml", cwd=copy, code=1)
    suite = ET.parse(tmp_path / "report.xml").getroot().find("testsuite")
    cases = suite.findall("testcase")
    assert len(cases) == CHECKS
    failed = [case for case in cases if case.find("failure") is not None]
    assert 0 < len(failed) < CHECKS
    assert "ignores h0" in failed[0].find("failure").text
    told = [{item.get("name"): item.get("value") for item in case.iter("property")} for case in cases]
    assert all(item["problem"] == "1" and item["title"] for item in told)
    assert sum(float(item["max_points"]) for item in told) == POINTS
    assert 0 < sum(float(item["points"]) for item in told) < POINTS
    assert [item["verdict"] == "failed" for item in told] == [case in failed for case in cases]


def test_a_folder_of_submissions(copy, tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    shutil.copy(SCAN.solution, folder)
    shutil.copy(PROBLEMS[2].solution, folder)
    done = workbook("grade", "--file", folder, "--json", cwd=copy, code=0)
    assert [item["number"] for item in json.loads(done.out)["problems"]] == [1, 12]
    assert not (copy / ".workbook").exists(), "--file never touches progress"


def test_a_submission_may_import_from_its_own_folder(copy, tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "helper_of_mine.py").write_text("def update(a, h, b):\n    return a * h + b\n", encoding="utf-8")
    text = SCAN.solution.read_text(encoding="utf-8")
    text = text.replace("import torch\n", "import torch\nfrom helper_of_mine import update\n", 1)
    text = text.replace("h = a[:, t] * h + b[:, t]", "h = update(a[:, t], h, b[:, t])")
    (folder / f"{SCAN.stem}.py").write_text(text, encoding="utf-8")
    workbook("grade", "1", "--file", folder, cwd=copy, code=0)


def test_hints_come_one_at_a_time(copy):
    total = len(SCAN.hints)
    for number in range(1, total + 1):
        assert workbook("hint", "1", cwd=copy, code=0).out.startswith(f"Hint {number} of {total}, problem 1: ")
    again = workbook("hint", "1", cwd=copy, code=0).out
    assert again.startswith(f"Hint {total} of {total}")
    assert "no more" in again


def test_the_solution_is_shown_after_a_pass_only(copy):
    refused = workbook("solution", "1", cwd=copy, code=2)
    assert "not passed yet" in refused.err
    assert refused.out == ""
    shown = workbook("solution", "1", "--force", cwd=copy, code=0).out
    assert "h = a[:, t] * h + b[:, t]" in shown
    assert "SOLUTION" not in shown
    shutil.copy(SCAN.solution, exercise(copy))
    workbook("grade", "1", cwd=copy, code=0)
    assert "return torch.stack" in workbook("solution", "1", cwd=copy, code=0).out


def test_reset_keeps_a_backup(copy):
    assert "nothing to do" in workbook("reset", "1", cwd=copy, code=0).out
    for text in ("first = 1\n", "second = 2\n"):
        exercise(copy).write_text(text, encoding="utf-8")
        workbook("reset", "1", cwd=copy, code=0)
        assert exercise(copy).read_text(encoding="utf-8") == STUB
    kept = sorted((copy / ".workbook" / "backups").iterdir())
    assert [path.read_text(encoding="utf-8") for path in kept] == ["first = 1\n", "second = 2\n"]


def test_build_makes_stubs_and_leaves_an_edited_one_alone(copy):
    (copy / "README.md").write_text("nothing to report\n", encoding="utf-8")
    solution = copy / "solutions" / f"{SCAN.stem}.py"
    solution.write_text(solution.read_text(encoding="utf-8").replace("Problem 1:", "Problem no. 1:"), encoding="utf-8")
    edited = copy / "exercises" / f"{PROBLEMS[2].stem}.py"
    edited.write_text("mine = 1\n", encoding="utf-8")
    stale = workbook("build", "--check", cwd=copy, code=1).out
    assert f"stale  exercises/.pristine/{SCAN.stem}.py" in stale
    assert f"kept   exercises/{PROBLEMS[2].stem}.py" in stale
    assert exercise(copy).read_text(encoding="utf-8") == STUB
    workbook("build", cwd=copy, code=0)
    assert exercise(copy).read_text(encoding="utf-8") == STUB.replace("Problem 1:", "Problem no. 1:")
    assert edited.read_text(encoding="utf-8") == "mine = 1\n"
    assert "All built files are fresh." in workbook("build", cwd=copy, code=0).out


def test_debug_runs_in_this_process_and_scores_nothing(copy):
    text = SCAN.solution.read_text(encoding="utf-8").replace(
        "    # BEGIN SOLUTION", "    import os; print('pid', os.getpid())"
    )
    exercise(copy).write_text(text, encoding="utf-8")
    done = workbook("grade", "1", "--debug", cwd=copy, code=0)
    assert "pid " in done.out
    assert "not scored" in done.out
    assert not (copy / ".workbook").exists()
    assert "names" in workbook("grade", "--debug", cwd=copy, code=2).err.replace("name its", "names its")


def test_doctor_looks_at_everything(copy):
    done = workbook("doctor", cwd=copy, code=0)
    assert "ok       torch" in done.out
    assert "a worker starts" in done.out
    assert "process: a process of its own" in done.out
    assert done.out.strip().endswith("Grading works here.")
    (copy / "exercises" / f"{SCAN.stem}.toml").write_text("title = 1", encoding="utf-8")
    assert "broken" in workbook("doctor", cwd=copy, code=3).out


def test_plain_pytest_grades_alike(copy):
    command = [sys.executable, "-m", "pytest", "graders/test_p01_sequential_scan.py", "-q", "-p", "no:cacheprovider"]
    right = subprocess.run(
        [*command, "--submission", "solutions"], cwd=copy, capture_output=True, text=True, check=False
    )
    assert right.returncode == 0, right.stdout
    assert f"graders/test_p01_sequential_scan.py: {POINTS} of {POINTS}" in right.stdout
    exercise(copy).write_text(WRONG, encoding="utf-8")
    wrong = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
    assert wrong.returncode == 1
    assert "This matches a known mistake: ignores h0 and starts from zeros." in wrong.stdout
    assert f" of {POINTS}" in wrong.stdout
    assert "conftest" not in wrong.stdout


def test_output_to_a_closed_pipe_is_no_error(copy):
    for arguments, code in (("solution 1 --force", 0), ("grade 1 --file solutions", 0), ("grade 1", 1)):
        command = f"{sys.executable} -m workbook {arguments} | head -c 1; exit ${{PIPESTATUS[0]}}"
        done = subprocess.run(["bash", "-c", command], cwd=copy, capture_output=True, text=True, check=False)
        assert (done.stderr, done.returncode) == ("", code), arguments


def test_a_closed_output_is_no_error(copy):
    for arguments, code in (("grade 1 --file solutions", 0), ("grade 1 --json", 1), ("", 0)):
        done = subprocess.run(
            ["bash", "-c", f"{sys.executable} -m workbook {arguments} >&-"],
            cwd=copy,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.stderr, done.returncode) == ("", code), arguments


def test_ctrl_c_at_any_moment_is_quiet(copy):
    for seconds in (0.05, 0.1, 0.2, 0.4, 0.8, 1.2, 1.6):
        running = subprocess.Popen(
            [sys.executable, "-m", "workbook", "grade"], cwd=copy, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )  # fmt: skip
        time.sleep(seconds)
        os.killpg(running.pid, signal.SIGINT)
        _, err = running.communicate(timeout=60)
        # Before the first line of ours runs, the interpreter itself answers.
        assert running.returncode == 130 or "workbook" not in err, (seconds, err)
        assert "workbook/" not in err, (seconds, err)


def test_two_gradings_at_once(copy):
    command = [sys.executable, "-m", "workbook", "grade", "1", "--file", "solutions"]
    both = [subprocess.Popen(command, cwd=copy, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [running.wait(timeout=120) for running in both] == [0, 0]
    assert all("Passed:" in running.communicate()[0] for running in both)


def test_files_that_no_stub_is_named_like_are_said(copy, tmp_path):
    shutil.copy(SCAN.solution, tmp_path)
    (tmp_path / "12.py").write_text("x = 1\n", encoding="utf-8")
    done = workbook("grade", "--file", tmp_path, cwd=copy, code=0)
    assert done.err.strip() == "12.py is not graded: it is not named like a stub."


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_without_our_signs(copy, encoding):
    done = subprocess.run(
        [sys.executable, "-m", "workbook", "grade", "1"],
        cwd=copy, capture_output=True, env={**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert done.stderr == b""


def test_what_an_exception_says_is_never_cut(copy):
    """Three different exceptions, of which two are explained in full: the third is shown whole all the same."""
    answer = SCAN.solution.read_text(encoding="utf-8").replace(
        "    # BEGIN SOLUTION",
        "    if a.device.type == 'meta':\n        raise KeyError('on meta')\n"
        "    if a.shape[1] == 1:\n        raise ValueError('one step')\n"
        "    if (a == 0).any():\n        raise LookupError('a zero gate')",
    )
    exercise(copy).write_text(answer, encoding="utf-8")
    out = workbook("grade", "1", cwd=copy, code=1).out
    for said in ("KeyError: 'on meta'", "ValueError: one step", "LookupError: a zero gate"):
        assert said in out


def test_the_current_folder_is_gone(copy):
    folder = copy / "gone"
    folder.mkdir()
    command = (
        f"import os, sys; os.rmdir({str(folder)!r}); from workbook.cli import main; sys.argv = ['workbook']; main()"
    )
    done = subprocess.run([sys.executable, "-c", command], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "The current folder is gone: change into the workbook's folder first.\n"


def test_a_link_to_an_exercise_stays_one(copy, tmp_path):
    real = tmp_path / "elsewhere.py"
    real.write_text(WRONG, encoding="utf-8")
    exercise(copy).unlink()
    exercise(copy).symlink_to(real)
    workbook("reset", "1", cwd=copy, code=0)
    assert exercise(copy).is_symlink()
    assert real.read_bytes() == SCAN.pristine.read_bytes()


def test_where_no_backup_can_be_made_nothing_is_reset(copy):
    exercise(copy).write_text(WRONG, encoding="utf-8")
    (copy / ".workbook").write_text("a file", encoding="utf-8")
    done = workbook("reset", "1", cwd=copy, code=2)
    assert done.err.startswith(f"No backup of {SCAN.stem}.py can be made in ")
    assert exercise(copy).read_text(encoding="utf-8") == WRONG
