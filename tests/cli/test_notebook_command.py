"""`workbook notebook`: JupyterLab on the notebook, its errors in one line, its end by Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest
from helpers.workbooks import PROBLEMS, workbook

SCAN = PROBLEMS[0]
# Stands in for JupyterLab: says how it was called, then does what it is told.
FAKE = """import os, sys, time
print(os.getcwd(), *sys.argv[1:], flush=True)
code = os.environ["FAKE_LAB"]
try:
    time.sleep(60 if code == "wait" else 0)
except KeyboardInterrupt:
    print("server ended", flush=True)
    sys.exit(0)
sys.exit(int(code))
"""


@pytest.fixture
def lab(copy, tmp_path, monkeypatch):
    """A learner's copy with a notebook, where `python -m jupyterlab` is the fake."""
    notebook = copy / "notebooks" / f"{SCAN.stem}.ipynb"
    notebook.parent.mkdir(exist_ok=True)
    notebook.write_text("{}", encoding="utf-8")
    fake = tmp_path / "fake" / "jupyterlab"
    fake.mkdir(parents=True)
    (fake / "__init__.py").write_text("", encoding="utf-8")
    (fake / "__main__.py").write_text(FAKE, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(fake.parent), *filter(None, [os.environ.get("PYTHONPATH")])]))
    monkeypatch.setenv("FAKE_LAB", "0")
    return copy


def test_it_opens_the_notebook_of_the_workbook_one_is_in(lab):
    said = workbook("notebook", "1", "--no-browser", cwd=lab / "exercises", code=0).out
    called = said.splitlines()[1].split()
    assert called[:2] == [str(lab), str(lab / "notebooks" / f"{SCAN.stem}.ipynb")]
    assert {f"--ServerApp.root_dir={lab}", "-y", "--no-browser"} <= set(called)
    assert "--no-browser" not in workbook("notebook", "1", cwd=lab, code=0).out
    assert (lab / "notebooks" / f"{SCAN.stem}.ipynb").read_text(encoding="utf-8") == "{}"  # nothing is built


def test_its_errors_are_one_line(lab, monkeypatch):
    assert "There is no problem 99" in workbook("notebook", "99", cwd=lab, code=2).err
    monkeypatch.setenv("FAKE_LAB", "7")
    assert "JupyterLab ended with the exit code 7" in workbook("notebook", "1", cwd=lab, code=3).err
    (lab / "notebooks" / f"{SCAN.stem}.ipynb").unlink()
    said = workbook("notebook", "1", cwd=lab, code=3).err
    assert said.startswith(f"notebooks/{SCAN.stem}.ipynb is missing: get it again, or run `")
    assert said.count("\n") == 1


def test_ctrl_c_ends_server_and_command(lab, monkeypatch):
    running = subprocess.Popen(
        [sys.executable, "-m", "workbook", "notebook", "1"],
        cwd=lab,
        env={**os.environ, "FAKE_LAB": "wait"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # Where the tests run in the background, the shell has them ignore Ctrl-C, and their children with them.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        assert "Opening" in running.stdout.readline()
        running.stdout.readline()  # the server runs
        os.killpg(running.pid, signal.SIGINT)
        out, err = running.communicate(timeout=60)
    finally:
        running.kill()
    assert running.returncode == 130
    assert out.strip() == "server ended"
    assert err.strip() == "Stopped."
