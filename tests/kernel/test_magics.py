"""%%solve, %grade and %hint in an IPython shell, with their grader in a process of its own."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time

import nbformat
import psutil
import pytest
from helpers import notebooks
from helpers.workbooks import PROBLEMS
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from traitlets.config import Config

from workbook.content import catalog
from workbook.errors import EngineFault
from workbook.kernel import client as kernel_grader
from workbook.kernel.client import Interrupted, KernelGrader
from workbook.workspace import exercise, progress

SCAN = PROBLEMS[0]
RIGHT = """import math

SCALE = 1


def sequential_scan(a, b, h0=None):
    h = torch.zeros_like(a[:, 0]) if h0 is None else h0
    states = []
    for t in range(a.shape[1]):
        h = a[:, t] * h + SCALE * b[:, t]
        states.append(h)
    return torch.stack(states, dim=1)
"""
WRONG = RIGHT.replace(" if h0 is None else h0", "")


@pytest.fixture
def shell(copy, tmp_path, monkeypatch):
    """An IPython shell in a learner's copy, with the extension loaded."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    (copy / "notebooks").mkdir(exist_ok=True)
    monkeypatch.chdir(copy / "notebooks")
    config = Config()
    config.HistoryManager.enabled = False
    InteractiveShell.clear_instance()
    made = InteractiveShell.instance(config=config)
    made.run_line_magic("load_ext", "workbook")
    yield made
    made.magics_manager.magics["line"]["grade"].__self__.grader.close()
    InteractiveShell.clear_instance()


@pytest.fixture
def problem(copy):
    return catalog.load(copy).problem(1)


def run(shell, cell: str) -> tuple[list[dict], str]:
    """What a cell displays, and what it shows as an error."""
    with capture_output() as captured:
        result = shell.run_cell(cell)
    error = result.error_in_exec or result.error_before_exec
    return [output.data for output in captured.outputs], str(error) if error else ""


def backups(problem) -> list[bytes]:
    return [path.read_bytes() for path in sorted((problem.root / ".workbook" / "backups").glob("*"))]


def test_from_a_wrong_answer_to_a_right_one(shell, problem):
    stub = problem.exercise.read_bytes()
    shown, _ = run(shell, "%grade 1")
    assert shown[-1]["text/plain"].endswith(f"{SCAN.title}: not started")
    shown, _ = run(shell, f"%%solve 1\n{WRONG}")
    assert "This matches a known mistake: ignores h0 and starts from zeros." in shown[-1]["text/plain"]
    assert "This matches a known mistake: ignores h0 and starts from zeros." in shown[-1]["text/html"]
    assert "Stuck? %hint 1" in shown[-1]["text/plain"]
    wrong = problem.exercise.read_bytes()
    assert backups(problem) == [stub]
    assert progress.load(problem.root, print).entry(1).verdict == "failed"
    shown, _ = run(shell, f"%%solve 1\n{RIGHT}")
    assert "it is kept as" in shown[0]["text/plain"]
    assert "Passed: 21 of 21 points." in shown[-1]["text/plain"]
    assert backups(problem) == [stub, wrong]
    text = problem.exercise.read_text(encoding="utf-8")
    assert text.startswith(problem.pristine.read_text(encoding="utf-8").partition("\n\n\n")[0] + "\nimport math\n")
    assert text.index("SCALE = 1") < text.index("def sequential_scan(a, b, h0=None):")
    entry = progress.load(problem.root, print).entry(1)
    assert (entry.verdict, entry.sha256) == ("passed", exercise.digest(problem.exercise))
    run(shell, f"%%solve 1\n{RIGHT}")
    assert len(backups(problem)) == 2  # nothing changed, so nothing is kept


def test_a_cell_that_is_still_the_stubs_undoes_nothing(shell, problem):
    cell = "%%solve 1\n" + problem.pristine.read_text(encoding="utf-8").partition("\n\n\n")[2]
    before = problem.exercise.stat()
    shown, _ = run(shell, cell)
    assert "not started" in shown[-1]["text/plain"]
    assert (problem.exercise.stat().st_mtime_ns, problem.exercise.stat().st_ino) == (before.st_mtime_ns, before.st_ino)
    problem.exercise.write_text(exercise.solution_text(problem) + "\n", encoding="utf-8")
    before = problem.exercise.read_bytes()
    shown, _ = run(shell, cell)
    assert "Passed" in shown[-1]["text/plain"]
    assert problem.exercise.read_bytes() == before
    assert backups(problem) == []


@pytest.mark.parametrize(
    ("cell", "says"),
    [
        ("%%solve 1\ndef sequential_scan(:\n", "Nothing was changed. line 2: invalid syntax: def sequential_scan(:"),
        ("%%solve 1\nx = 1\n!ls\n", "Nothing was changed. line 3: `!ls` is for IPython, not Python"),
        ("%%solve 1\nx = 1\n%timeit x\n", "line 3: `%timeit x` is for IPython"),
        ("%%solve 1\nx = 1\nprint(x)\n", "line 3: `print(x)` defines nothing"),
        ("%%solve\nx = 1\n", "%%solve takes the number of one problem, as in `%%solve 1`."),
        ("%%solve 99\nx = 1\n", "There is no problem 99"),
        ("%grade one", "%grade takes the number of one problem"),
        ("%hint", "%hint takes the number of one problem"),
    ],
)
def test_a_cell_that_cannot_be_used_says_so_in_one_line(shell, problem, cell, says):
    before = problem.exercise.read_bytes()
    shown, error = run(shell, cell)
    assert shown == []
    assert says in error
    assert "\n" not in error
    assert problem.exercise.read_bytes() == before
    assert backups(problem) == []


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"def broken(:\n", "exercises/p01_sequential_scan.py, line 1: invalid syntax. Mend it, or `workbook reset 1`"),
        (b"x = '\xff'\n", "exercises/p01_sequential_scan.py is not UTF-8 text"),
    ],
)
def test_a_file_that_cannot_take_a_cell_stays_as_it_is(shell, problem, content, says):
    problem.exercise.write_bytes(content)
    _, error = run(shell, f"%%solve 1\n{RIGHT}")
    assert says in error
    assert problem.exercise.read_bytes() == content


def test_a_missing_file_is_made_from_the_stub_and_a_byte_order_mark_stays(shell, problem):
    problem.exercise.unlink()
    shown, _ = run(shell, f"%%solve 1\n{RIGHT}")
    assert "Passed" in shown[-1]["text/plain"]
    problem.exercise.write_bytes(b"\xef\xbb\xbf" + problem.pristine.read_bytes())
    shown, _ = run(shell, f"%%solve 1\n{RIGHT}")
    assert "Passed" in shown[-1]["text/plain"]
    assert problem.exercise.read_bytes().startswith(b'\xef\xbb\xbf"""Problem 1')


def test_a_misspelt_name_is_pointed_out(shell, problem):
    shown, _ = run(shell, "%%solve 1\ndef sequental_scan(a, b):\n    return a\n")
    assert "The cell defines none of sequential_scan: check the spelling" in shown[0]["text/plain"]
    assert b"def sequental_scan" in problem.exercise.read_bytes()


def test_hints_come_one_at_a_time_and_count(shell, problem):
    first, _ = run(shell, "%hint 1")
    second, _ = run(shell, "%hint 1")
    assert first[0]["text/plain"].startswith("Hint 1 of 4, problem 1: Keep one variable h")
    assert second[0]["text/plain"].startswith("Hint 2 of 4")
    assert progress.load(problem.root, print).entry(1).hints == 2


# The grader of the kernel


@pytest.fixture
def warm():
    made = KernelGrader()
    yield made
    made.close()


def wait_for(condition, seconds: float = 60.0) -> bool:
    """Whether a condition comes true; a machine that is busy is given time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def test_one_process_serves_every_grading_and_another_takes_over_when_it_has_died(warm, problem):
    assert warm.grade(problem.root, 1).verdict == "not_started"
    first = warm.pid
    problem.exercise.write_text(exercise.solution_text(problem) + "\n", encoding="utf-8")
    assert warm.grade(problem.root, 1).verdict == "passed"
    assert warm.pid == first
    os.kill(first, signal.SIGKILL)
    assert wait_for(lambda: warm.pid == 0)
    assert warm.grade(problem.root, 1).verdict == "passed"
    assert warm.pid not in (0, first)
    family = [psutil.Process(warm.pid), *psutil.Process(warm.pid).children(recursive=True)]
    assert len(family) > 1
    warm.close()
    assert wait_for(lambda: not any(process.is_running() for process in family))


def test_a_death_during_a_grading_is_one_line(warm, problem, monkeypatch):
    hang(problem)
    monkeypatch.setattr(kernel_grader.KernelGrader, "_answer", kill_then(warm, kernel_grader.KernelGrader._answer))
    with pytest.raises(EngineFault, match="The process that grades ended: run the cell again"):
        warm.grade(problem.root, 1)


def kill_then(warm, answer):
    def act(self):
        os.kill(warm.pid, signal.SIGKILL)
        return answer(self)

    return act


def hang(problem) -> None:
    source = "import time\n\ndef sequential_scan(a, b, h0=None):\n    while True:\n        time.sleep(1)\n"
    problem.exercise.write_text(source, encoding="utf-8")


def test_an_interrupt_stops_the_grading_and_records_nothing(warm, problem):
    assert warm.grade(problem.root, 1).verdict == "not_started"
    first, before = warm.pid, progress.path_of(problem.root).read_bytes()
    hang(problem)
    process = psutil.Process(warm.pid)
    workers = len(process.children(recursive=True))

    def interrupt():
        wait_for(lambda: len(process.children(recursive=True)) > workers)  # the learner's code has begun
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(Interrupted, match="Stopped: nothing was recorded"):
        warm.grade(problem.root, 1)
    thread.join()
    assert progress.path_of(problem.root).read_bytes() == before
    assert warm.pid == first
    assert wait_for(lambda: len(process.children(recursive=True)) == workers)
    shutil.copy(problem.pristine, problem.exercise)
    assert warm.grade(problem.root, 1).verdict == "not_started"


@pytest.mark.parametrize("busy", [False, True])
def test_the_grader_ends_with_its_kernel_however_that_dies(problem, busy):
    source = (
        "import sys\nfrom pathlib import Path\nfrom workbook.kernel.client import KernelGrader\n"
        "grader = KernelGrader()\ngrader.grade(Path(sys.argv[1]), 1)\nprint(grader.pid, flush=True)\n"
        "sys.stdin.readline()\ngrader.grade(Path(sys.argv[1]), 1)\n"
    )
    kernel = subprocess.Popen(
        [sys.executable, "-c", source, str(problem.root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        child = psutil.Process(int(kernel.stdout.readline()))
        workers = len(child.children(recursive=True))
        if busy:
            hang(problem)
            kernel.stdin.write("\n")
            kernel.stdin.flush()
            assert wait_for(lambda: len(child.children(recursive=True)) > workers)
        family = [child, *child.children(recursive=True)]
        kernel.kill()
        assert wait_for(lambda: not any(each.is_running() for each in family))
    finally:
        kernel.kill()
        kernel.communicate()


def test_a_broken_workbook_is_one_line(warm, problem):
    problem.pristine.unlink()
    problem.exercise.unlink()
    problem.settings.write_text("title = 3\n", encoding="utf-8")
    with pytest.raises(EngineFault, match=r"exercises/p01_sequential_scan.toml: the key 'difficulty' is missing"):
        warm.grade(problem.root, 1)


def test_what_the_kernel_has_patched_changes_no_verdict(problem, tmp_path):
    patches = (
        "import torch, workbook.compare.divergence, workbook.grading.session\n"
        "workbook.compare.divergence.first_divergence = lambda *args, **options: None\n"
        "workbook.grading.session._problem_verdict = lambda checks: 'passed'\n"
        "torch.stack = lambda states, dim=0: None\n"
        "import os; os.environ['PYTEST_ADDOPTS'] = '--collect-only'"
    )
    cells = [
        nbformat.v4.new_code_cell(text)
        for text in ("%load_ext workbook", patches, f"%%solve 1\n{WRONG}", f"%%solve 1\n{RIGHT}", "%grade 1")
    ]
    path = problem.notebook.with_name("mine.ipynb")
    path.parent.mkdir(exist_ok=True)
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    done = notebooks.run(path, scratch=tmp_path)
    assert notebooks.errors(done) == []
    said = notebooks.texts(done)
    assert "known mistake: ignores h0" in said[0]
    assert [text for text in said if "Passed: 21 of 21 points." in text] == said[-2:]
