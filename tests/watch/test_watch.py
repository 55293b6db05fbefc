"""`workbook watch`, driven in a real terminal: every key, every kind of save, a resize, a crash, fifty saves."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pexpect
import psutil
import pytest
from helpers.workbooks import PROBLEMS, ROOT

from workbook.watch.files import needs_polling

SCAN, RNN = PROBLEMS[0], PROBLEMS[2]
RIGHT = SCAN.solution.read_text(encoding="utf-8")
WRONG = (ROOT / "docs" / "examples" / SCAN.stem / "values.py").read_text(encoding="utf-8")
SHAPE = (ROOT / "docs" / "examples" / SCAN.stem / "shape.py").read_text(encoding="utf-8")
NAMED = "This matches a known mistake: ignores h0"
MENU = r"Keys: .*q quit"


def without(*names: str) -> dict[str, str]:
    """The environment without these: in the processes of pytest-xdist they would stand for the terminal's size."""
    return {name: value for name, value in os.environ.items() if name not in names}


class Terminal:
    """A running `workbook watch` and what a person at it would do."""

    def __init__(self, folder: Path, *arguments: str, size: tuple[int, int] = (50, 100), **environment: str) -> None:
        self.folder = folder
        self.exercise = folder / "exercises" / f"{SCAN.stem}.py"
        self.child = pexpect.spawn(
            sys.executable,
            ["-m", "workbook", "watch", *arguments],
            cwd=str(folder),
            dimensions=size,
            encoding="utf-8",
            timeout=60,
            env={**without("COLUMNS", "LINES"), "TERM": "xterm", **environment},
            # Where the tests run in the background, the shell has them ignore Ctrl-C, and their children with them.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )

    def see(self, *texts: str) -> str:
        """Wait for these, in order, and for the keys below them; everything shown until then."""
        shown = ""
        for text in (*texts, MENU):
            self.child.expect(text)
            shown += self.child.before + self.child.after
        return shown

    def key(self, key: str, *texts: str) -> str:
        self.child.send(key)
        return self.see(*texts)

    def save(self, text: str, *texts: str) -> str:
        self.exercise.write_text(text, encoding="utf-8")
        return self.see(*texts)

    def end(self) -> None:
        if self.child.isalive():
            self.child.send("q")
            self.child.expect(pexpect.EOF)
        self.child.close()


@pytest.fixture
def watch(copy):
    """Start a `watch` in the copy; its processes must be gone afterwards."""
    started = []

    def start(*arguments: str, **options) -> Terminal:
        started.append(Terminal(copy, *arguments, **options))
        return started[-1]

    yield start
    for terminal in started:
        family = psutil.Process(terminal.child.pid).children(recursive=True) if terminal.child.isalive() else []
        terminal.end()
        _, alive = psutil.wait_procs(family, timeout=10)
        assert not alive


def test_a_save_is_graded_and_the_mistake_named(watch):
    terminal = watch()
    assert "not started" in terminal.see("Problem 1")
    shown = terminal.save(WRONG, NAMED, "points: not passed yet")
    assert f"exercises/{SCAN.stem}.py" in shown
    assert "n next" not in shown
    assert "0 of 4 passed" in shown
    shown = terminal.save(RIGHT, "Passed:")
    assert "1 of 4 passed" in shown
    assert "n next" in shown


def test_every_kind_of_save(watch, tmp_path):
    terminal = watch()
    terminal.see("Problem 1")
    # by rename, as vim and many others do
    (tmp_path / "new.py").write_text(WRONG, encoding="utf-8")
    os.replace(tmp_path / "new.py", terminal.exercise)
    terminal.see(NAMED)
    # the old file renamed away, a new one written in its place
    os.replace(terminal.exercise, tmp_path / "old.py")
    terminal.exercise.write_text(SHAPE, encoding="utf-8")
    terminal.see("stacks the states time-first")
    # truncated first, written a little later
    with open(terminal.exercise, "w", encoding="utf-8") as file:
        file.flush()
        time.sleep(0.2)
        file.write(WRONG)
    terminal.see(NAMED)
    # twice in a row
    terminal.exercise.write_text(WRONG + "\n", encoding="utf-8")
    terminal.exercise.write_text(RIGHT, encoding="utf-8")
    terminal.see("Passed:")


def test_the_same_content_again_is_not_graded_again(watch):
    terminal = watch()
    terminal.see("Problem 1")
    terminal.save(WRONG, NAMED)
    terminal.exercise.write_text(WRONG, encoding="utf-8")
    time.sleep(0.5)
    terminal.exercise.write_text(RIGHT, encoding="utf-8")
    terminal.see("Passed:")


def test_broken_files_show_their_error_and_the_loop_goes_on(watch):
    terminal = watch()
    terminal.see("Problem 1")
    terminal.save("def f(:\n", "The file is not valid Python")
    terminal.save("import os\nos._exit(3)\n", "ended the whole Python process")
    terminal.save("x = 1\n", "The file defines no sequential_scan")
    terminal.exercise.unlink()
    terminal.see("is missing: `workbook reset 1` brings the stub back")
    terminal.save(RIGHT, "Passed:")


def test_a_save_during_a_run_restarts_it(watch):
    terminal = watch()
    terminal.see("Problem 1")
    terminal.exercise.write_text(
        "import time\n\n\ndef sequential_scan(a, b, h0=None):\n    time.sleep(4)\n", encoding="utf-8"
    )
    terminal.child.expect("Problem 1: ")
    time.sleep(1)
    start = time.monotonic()
    terminal.save(RIGHT, "Passed:")
    assert time.monotonic() - start < 30, "the old run went on"


def test_keys(watch, copy):
    terminal = watch()
    terminal.see("Problem 1")
    assert "has not passed yet" in terminal.key("n")
    assert "after a pass" in terminal.key("s")
    terminal.key("h", "Hint 1 of")
    terminal.key("h", "Hint 2 of")
    terminal.key("d", "Your file is the stub")
    terminal.save(WRONG, NAMED)
    shown = terminal.key("d", r"\+    h = torch.zeros_like")
    assert "raise NotImplementedError" in shown
    terminal.key("?", "n  the next exercise")
    terminal.key("l", "> +1  Sequential", "Elman RNN")
    assert "Sequential" not in terminal.key("d", "None.")
    terminal.key("o", "> +1  Sequential")
    terminal.key("r", NAMED)
    assert "first exercise" in terminal.key("p")
    terminal.key("\x1b[A")  # an arrow is no command
    terminal.key("x", "Put the stub of")
    terminal.key("n", "Nothing was changed")
    assert terminal.exercise.read_text(encoding="utf-8") == WRONG
    terminal.key("x", "Put the stub of")
    terminal.key("y", "not started", "your file is kept as")
    assert [path.read_text(encoding="utf-8") for path in (copy / ".workbook" / "backups").iterdir()] == [WRONG]
    terminal.save(RIGHT, "Passed:")
    terminal.key("s", "return torch.stack")
    terminal.key("n", "Problem 11")
    terminal.key("p", "Problem 1 ")
    terminal.child.send("q")
    terminal.child.expect(pexpect.EOF)
    terminal.child.close()
    assert terminal.child.exitstatus == 0


@pytest.mark.parametrize(("keys", "question"), [("x", "Put the stub of"), ("l", "Keys: ")])
def test_q_quits_from_a_question_too(watch, keys, question):
    terminal = watch()
    terminal.see("Problem 1")
    terminal.save(WRONG, NAMED)
    terminal.key(keys, question)
    terminal.child.send("q")
    terminal.child.expect(pexpect.EOF)
    terminal.child.close()
    assert terminal.child.exitstatus == 0
    assert terminal.exercise.read_text(encoding="utf-8") == WRONG


@pytest.mark.parametrize(("key", "question"), [("x", "Put the stub of"), ("l", "Keys: ")])
def test_a_save_during_a_question_is_graded(watch, key, question):
    terminal = watch()
    terminal.see("Problem 1")
    terminal.key(key, question)
    assert "Stuck? Press h" in terminal.save(WRONG, NAMED, "Stuck. Press h")
    assert terminal.exercise.read_text(encoding="utf-8") == WRONG


def test_it_never_goes_on_by_itself_but_grades_another_file_that_is_saved(watch, copy):
    terminal = watch()
    terminal.see("Problem 1")
    terminal.save(RIGHT, "Passed:")
    shutil.copy(RNN.solution, copy / "exercises" / f"{RNN.stem}.py")
    shown = terminal.see("Problem 12", "Passed:")
    assert f"Exercise: exercises/{RNN.stem}.py" in shown
    assert "2 of 4 passed" in shown


def test_ctrl_c_ends_it_cleanly_in_mid_run(watch):
    terminal = watch()
    terminal.see("Problem 1")
    terminal.exercise.write_text(
        "import time\n\n\ndef sequential_scan(a, b, h0=None):\n    time.sleep(30)\n", encoding="utf-8"
    )
    terminal.child.expect("Problem 1: ")
    time.sleep(0.5)
    family = psutil.Process(terminal.child.pid).children(recursive=True)
    terminal.child.sendintr()
    terminal.child.expect("Stopped.")
    terminal.child.expect(pexpect.EOF)
    terminal.child.close()
    assert terminal.child.exitstatus == 130
    assert not psutil.wait_procs(family, timeout=10)[1]


def test_a_narrow_terminal_and_a_resize(watch):
    terminal = watch(size=(40, 44))
    terminal.see("Problem 1")
    shown = terminal.save(WRONG, "ignores")
    lines = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown).rpartition("\r")[0].splitlines()
    assert any("Wrong value" in line for line in lines)
    code = re.compile(r" {10}\S|.* s  Problem")  # lines to be pasted, and the line that tells of a grading going on
    assert not [line for line in lines if len(line) > 44 and not code.match(line)]
    terminal.child.setwinsize(40, 100)
    shown = terminal.see("Wrong value at time 0 .batch 0, channel 0, all counted from 0.: expected 11, got 1")
    assert "Exercise:" in shown


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_without_colour(watch, environment):
    terminal = watch(**environment)
    shown = terminal.see("Problem 1") + terminal.save(WRONG, NAMED)
    assert not re.search(r"\x1b\[[0-9;]*(3|9)[0-7]m", shown)
    if environment.get("TERM") == "dumb":
        assert "\x1b" not in shown


def test_polling(watch):
    terminal = watch("--poll")
    terminal.see("Problem 1")
    terminal.save(WRONG, NAMED)


def test_another_problem_to_begin_with(watch):
    assert "Exercise: exercises/p12" in watch("12").see("Problem 12")


def test_through_a_pipe_it_is_plain_text_without_keys(copy):
    command = [sys.executable, "-m", "workbook", "watch"]
    with open(os.devnull, "rb") as nothing:
        running = subprocess.Popen(
            command, cwd=copy, stdin=nothing, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
    shown = ""
    try:
        while "Exercise: " not in shown:
            shown += running.stdout.readline()
        (copy / "exercises" / f"{SCAN.stem}.py").write_text(WRONG, encoding="utf-8")
        while shown.count("Exercise: ") < 2:
            shown += running.stdout.readline()
    finally:
        running.terminate()
        running.communicate(timeout=20)
    assert NAMED in shown
    assert "Keys:" not in shown
    assert "\x1b" not in shown


def test_fifty_saves_leave_memory_and_processes_where_they_were(watch):
    terminal = watch()
    terminal.see("Problem 1")
    process = psutil.Process(terminal.child.pid)
    sizes = []
    for number in range(50):
        terminal.save(f"# {number}\n{WRONG if number % 2 else RIGHT}", NAMED if number % 2 else "Passed:")
        sizes.append(process.memory_info().rss)
    assert sizes[-1] < 1.1 * sizes[4], [size // 2**20 for size in sizes]
    assert len(process.children(recursive=True)) == 1, "only the zygote is left"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("server:/home /home nfs4 rw 0 0", True),
        ("C: /home 9p rw 0 0", True),
        ("/dev/sda1 /home ext4 rw 0 0", False),
        ("user@host: /home fuse.sshfs rw 0 0", True),
    ],
)
def test_remote_file_systems_are_polled(tmp_path, line, expected):
    mounts = tmp_path / "mounts"
    mounts.write_text(f"/dev/sda1 / ext4 rw 0 0\n{line}\n", encoding="utf-8")
    assert needs_polling(Path("/home/me/exercises"), str(mounts)) is expected
    assert needs_polling(Path("/srv"), str(mounts)) is False
    assert needs_polling(Path("/srv"), str(tmp_path / "none")) is False
