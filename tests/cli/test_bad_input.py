"""Bad input of every kind: one clear line, the right exit code, nothing lost."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time

import pytest
from helpers.workbooks import PROBLEMS, check, workbook

SCAN = PROBLEMS[0]
GOOD = SCAN.solution.read_text(encoding="utf-8")


def one_line(text: str) -> str:
    lines = text.strip().splitlines()
    assert len(lines) == 1, text
    return lines[0]


# --- what the command line is given ---------------------------------------------------------------------------------


def test_outside_of_a_workbook(tmp_path):
    assert "No workbook found" in one_line(workbook(cwd=tmp_path, code=2).err)


@pytest.mark.parametrize("command", [["grade"], ["hint"], ["solution"], ["reset"]])
def test_an_unknown_problem_number(copy, command):
    done = workbook(*command, "7", cwd=copy, code=2)
    assert one_line(done.err) == "There is no problem 7: choose one of 1, 11, 12, 14."
    assert done.out == ""


@pytest.mark.parametrize("arguments", [["grade", "one"], ["grade", "--nonsense"], ["nonsense"], ["hint"]])
def test_a_wrong_command_line(copy, arguments):
    assert "--help" in one_line(workbook(*arguments, cwd=copy, code=2).err)


def test_a_missing_file(copy):
    done = workbook("grade", "1", "--file", "nowhere.py", cwd=copy, code=2)
    assert "nowhere.py does not exist" in one_line(done.err)


def test_a_folder_without_the_stub(copy, tmp_path):
    (tmp_path / "empty").mkdir()
    assert "has no p01_sequential_scan.py" in one_line(
        workbook("grade", "1", "--file", tmp_path / "empty", cwd=copy, code=2).err
    )
    assert "no file named like a stub" in one_line(
        workbook("grade", "--file", tmp_path / "empty", cwd=copy, code=2).err
    )


def test_a_file_whose_name_says_nothing(copy):
    shutil.copy(SCAN.solution, copy / "mine.py")
    assert "say which problem" in one_line(workbook("grade", "--file", "mine.py", cwd=copy, code=2).err)
    workbook("grade", "1", "--file", "mine.py", cwd=copy, code=0)


def test_one_file_for_two_problems(copy):
    assert "One file answers one problem" in one_line(
        workbook("grade", "1", "11", "--file", SCAN.solution, cwd=copy, code=2).err
    )


def test_a_junit_file_that_cannot_be_written(copy):
    done = workbook("grade", "1", "--junit", "nowhere/report.xml", cwd=copy, code=2)
    assert "cannot be written" in one_line(done.err)


def test_a_missing_exercise_is_said_and_the_others_are_graded(copy):
    (copy / "exercises" / "p01_sequential_scan.py").unlink()
    done = workbook("grade", "1", "12", cwd=copy, code=1)
    assert "p01_sequential_scan.py is missing: `workbook reset 1` brings the stub back." in done.out
    assert "Problem 12 · Elman RNN: forward through a sequence: not started" in done.out
    workbook("reset", "1", cwd=copy, code=0)
    assert "Problem 1 · Sequential linear-recurrence scan: not started" in workbook("grade", "1", cwd=copy, code=1).out


# --- what the learner's file holds ----------------------------------------------------------------------------------


def test_a_syntax_error_shows_its_line(grade_source):
    result = grade_source(
        1, GOOD.replace("    return torch.stack(states, dim=1)", "    return torch.stack(states, dim=1")
    )
    assert (result.verdict, result.score) == ("failed", 0)
    assert {item.verdict for item in result.checks} == {"error"}
    message = result.checks[0].message
    assert message.startswith("The file is not valid Python: line ")
    assert "return torch.stack(states, dim=1" in message
    assert "'(' was never closed" in message


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (b"x = '\xff\xfe'\n", "not valid UTF-8"),
        (b"# -*- coding: nonsense -*-\n", "encoding"),
        (b"x = 1\0\n", "null byte"),
        (b"", "The file defines no sequential_scan"),
    ],
    ids=["undecodable", "unknown encoding", "null bytes", "empty"],
)
def test_a_file_that_is_no_program(grade_file, tmp_path, source, says):
    path = tmp_path / "p01_sequential_scan.py"
    path.write_bytes(source)
    result = grade_file(SCAN, path)
    assert {item.verdict for item in result.checks} == {"error"}
    assert says in result.checks[0].message


def test_an_exception_at_import_has_the_learners_line(grade_source):
    result = grade_source(1, "import torch\n\nx = {}['key']\n")
    assert {item.verdict for item in result.checks} == {"error"}
    assert result.checks[0].message == (
        "Loading the file raised an exception:\n  line 3: x = {}['key']\nKeyError: 'key'"
    )


@pytest.mark.parametrize("name", ["sequentialscan", "sequential_scn", "SequentialScan", "sequence_scan"])
def test_a_misspelt_function_is_suggested(grade_source, name):
    result = grade_source(1, GOOD.replace("sequential_scan(", f"{name}("))
    assert result.checks[0].message == f"The file defines no sequential_scan; did you mean to rename {name}?"


def test_a_name_that_is_no_function(grade_source):
    result = grade_source(1, "sequential_scan = 3\n")
    assert result.checks[0].message == "`sequential_scan` is not something that can be called: it is of type int."


@pytest.mark.parametrize("parameters", ["a", "a, b", "a, b, h0, extra", "a, b, start=None"])
def test_wrong_parameters_are_shown(grade_source, parameters):
    result = grade_source(1, f"def sequential_scan({parameters}):\n    return None\n")
    item = check(result, "test_starts_from_h0")
    assert item.verdict == "error"
    assert item.message.startswith(f"`sequential_scan({parameters})` does not take the arguments of the task")


def test_the_message_of_an_exception_is_never_cut(grade_source):
    text = "long " * 1000
    result = grade_source(1, f"def sequential_scan(a, b, h0=None):\n    raise ValueError({text!r} + '\\n2nd line')\n")
    assert text.strip() in result.checks[0].message
    assert "2nd line" in result.checks[0].message
    assert "line 2, in sequential_scan: raise ValueError(" in result.checks[0].message


def test_input_is_explained(grade_source):
    result = grade_source(1, "def sequential_scan(a, b, h0=None):\n    return input('a number: ')\n")
    assert "input() has nothing to read while grading" in result.checks[0].message


def test_another_function_that_is_not_written(grade_source):
    source = GOOD.replace("    # BEGIN SOLUTION\n", "    helper()\n    # BEGIN SOLUTION\n")
    result = grade_source(1, source + "\n\ndef helper():\n    raise NotImplementedError\n")
    assert {item.verdict for item in result.checks} == {"not_started"}
    assert result.checks[0].message == "Needs `helper` first: it is not written yet."


# --- what the workbook's own files hold -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda text: text.replace("title =", "title"), "is not valid TOML"),
        (lambda text: text.replace('library = "torch"', ""), "the key 'library' is missing"),
        (lambda text: text.replace('"torch"', '"jax"'), "'library' must be 'torch' or 'numpy'"),
        (lambda text: text.replace('"easy"', '"breezy"'), "'difficulty' must be one of easy, medium, hard"),
        (lambda text: "colour = 1\n" + text, "unknown key 'colour'"),
        (lambda text: text.replace("call_seconds = 5", "call_seconds = -5"), "must be a number above 0"),
        (lambda text: text.replace("memory_mb", "memory_gb"), "unknown limit 'memory_gb'"),
        (lambda text: text.replace("prerequisites = []", "prerequisites = ['x']"), "list of problem numbers"),
        (lambda text: text.replace("prerequisites = []", "preload = 'torch'"), "list of names of modules"),
        (lambda text: text.replace('name = "half"\n', ""), "each of 'examples' needs name"),
        (
            lambda text: text.replace('entry_points = ["sequential_scan"]', "entry_points = []"),
            "'entry_points' must be",
        ),
    ],
)
def test_a_broken_toml_names_file_and_key(copy, change, says):
    path = copy / "exercises" / "p01_sequential_scan.toml"
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
    for command in ([], ["grade", "1"], ["hint", "1"]):
        line = one_line(workbook(*command, cwd=copy, code=3).err)
        assert "p01_sequential_scan.toml" in line
        assert says in line


def test_a_broken_draft_does_not_stop_the_others(copy):
    draft = copy / "exercises" / "p50_draft.toml"
    draft.write_text("title = ", encoding="utf-8")
    (copy / "graders" / "test_p50_draft.py").write_text("def test_a(agree):\n    '''t'''\n", encoding="utf-8")
    shutil.copy(SCAN.solution, copy / "exercises" / "p01_sequential_scan.py")
    done = workbook("grade", "1", cwd=copy, code=0)
    assert "p50_draft.toml is not valid TOML" in one_line(done.err)
    assert "  Passed: " in done.out
    assert "p50_draft.toml is not valid TOML" in one_line(workbook("grade", "50", cwd=copy, code=3).err)
    overview = workbook(cwd=copy, code=3)
    assert "p50_draft.toml is not valid TOML" in one_line(overview.err)
    assert "LSTM lab" in overview.out
    assert "  broken   " in workbook("doctor", cwd=copy, code=3).out
    # Plain pytest: the draft's own checks say why, and the others are graded.
    plain = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "graders/test_p01_sequential_scan.py", "graders/test_p50_draft.py"],
        cwd=copy,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "18 passed, 1 error" in plain.stdout, plain.stdout
    assert "p50_draft.toml is not valid TOML" in plain.stdout


def test_grading_all_with_a_broken_draft_is_no_pass(copy):
    for path in (copy / "exercises").glob("p1*.toml"):
        path.unlink()
    (copy / "exercises" / "p50_draft.toml").write_text("", encoding="utf-8")
    shutil.copy(SCAN.solution, copy / "exercises" / "p01_sequential_scan.py")
    done = workbook("grade", cwd=copy, code=3)
    assert "the key 'title' is missing" in one_line(done.err)
    assert "  Passed: " in done.out


def test_two_problems_of_one_number_do_not_stop_the_others(copy):
    text = (copy / "exercises" / "p12_elman_rnn.toml").read_text(encoding="utf-8")
    (copy / "exercises" / "p12_twin.toml").write_text(text, encoding="utf-8")
    shutil.copy(SCAN.solution, copy / "exercises" / "p01_sequential_scan.py")
    assert "Two problems have the number 12" in one_line(workbook("grade", "1", cwd=copy, code=0).err)
    assert "Two problems have the number 12" in one_line(workbook("grade", "12", cwd=copy, code=3).err)


def test_a_workbook_without_problems(copy):
    for path in (copy / "exercises").glob("*.toml"):
        path.unlink()
    assert "No problem found" in one_line(workbook("grade", cwd=copy, code=3).err)


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("graders/test_p01_sequential_scan.py", "def test_x(agree:\n", "could not be read: SyntaxError"),
        ("graders/test_p01_sequential_scan.py", "import nonsense\n", "No module named 'nonsense'"),
        ("graders/test_p01_sequential_scan.py", "", "has no check"),
        ("graders/test_p01_sequential_scan.py", None, "is missing"),
        ("solutions/p01_sequential_scan.py", None, "cannot be read"),
        ("solutions/p01_sequential_scan.py", "'\udcff'\n", "cannot be read: it is not UTF-8 text"),
        ("exercises/.pristine/p01_sequential_scan.py", None, "run `workbook build`"),
        ("solutions/pitfalls/p01_sequential_scan.py", "@pitfall()\ndef f(): pass\n", "write @pitfall("),
    ],
)
def test_a_fault_of_the_workbook_is_ungraded_and_no_zero(copy, name, text, says):
    path = copy / name
    path.unlink()
    if text is not None:
        path.write_text(text, encoding="utf-8", errors="surrogateescape")
    done = workbook("grade", "1", "12", cwd=copy, code=3)
    assert says in " ".join(done.out.split())
    assert "Not graded, which is not your fault" in done.out
    assert "Problem 12 · Elman RNN: forward through a sequence: not started" in done.out


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("def test_a(learner):\n    '''t'''\n", "compared nothing"),
        ("def test_a(same):\n    '''t'''\n    1 / 0\n", "The grader itself failed"),
        ("def test_a(nonsense):\n    '''t'''\n", "The grader itself failed"),
    ],
)
def test_a_check_that_proves_nothing_is_ungraded(copy, body, says):
    (copy / "graders" / "test_p01_sequential_scan.py").write_text(body, encoding="utf-8")
    done = workbook("grade", "1", "--file", SCAN.solution, "--exit-zero", cwd=copy, code=3)
    assert says in done.out


def test_a_reference_that_fails_is_ungraded(copy):
    path = copy / "solutions" / "p01_sequential_scan.py"
    path.write_text(GOOD.replace("    return torch.stack(states, dim=1)", "    return 1 / 0"), encoding="utf-8")
    done = workbook("grade", "1", "--file", SCAN.solution, cwd=copy, code=3)
    assert "ZeroDivisionError" in done.out
    assert "not your fault" in done.out


# --- the progress file ----------------------------------------------------------------------------------------------


def test_a_damaged_progress_file_is_set_aside(copy):
    folder = copy / ".workbook"
    folder.mkdir()
    for text in ("{", "[]", '{"version": 9, "problems": {}}', '{"version": 1, "problems": {"1": {"score": "x"}}}'):
        (folder / "progress.json").write_text(text, encoding="utf-8")
        done = workbook(cwd=copy, code=0)
        assert "was damaged" in one_line(done.err)
        assert text in [path.read_text(encoding="utf-8") for path in folder.glob("progress.damaged*.json")]
        assert not (folder / "progress.json").exists()


def test_progress_that_cannot_be_written_does_not_change_the_verdict(copy):
    # A file where the folder should be: a read-only folder does not stop root.
    (copy / ".workbook").write_text("", encoding="utf-8")
    shutil.copy(SCAN.solution, copy / "exercises" / "p01_sequential_scan.py")
    done = workbook("grade", "1", cwd=copy, code=0)
    assert "  Passed: " in done.out
    assert done.err.strip().splitlines()[-1].startswith("Progress was not saved")


# --- Ctrl-C ---------------------------------------------------------------------------------------------------------


def test_ctrl_c_in_mid_run_ends_everything(copy):
    path = copy / "exercises" / "p01_sequential_scan.py"
    path.write_text(
        "import time\n\n\ndef sequential_scan(a, b, h0=None):\n    print('started', flush=True)\n    time.sleep(60)\n"
    )
    started = subprocess.Popen(
        [sys.executable, "-m", "workbook", "grade", "1"],
        cwd=copy,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
        # Where the tests run in the background, the shell has them ignore Ctrl-C, and their children with them.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    deadline = time.monotonic() + 60
    while len(_descendants(started.pid)) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    family = _descendants(started.pid)
    assert len(family) >= 2, "no worker was started"
    time.sleep(0.5)
    os.killpg(started.pid, signal.SIGINT)
    out, err = started.communicate(timeout=30)
    assert started.returncode == 130, (out, err)
    assert err.strip() == "Stopped."
    assert not [pid for pid in family if os.path.exists(f"/proc/{pid}")]


def _descendants(pid: int) -> list[int]:
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as children:
            own = [int(item) for item in children.read().split()]
    except OSError:
        return []
    return own + [grandchild for child in own for grandchild in _descendants(child)]
