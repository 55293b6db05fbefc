"""`workbook notebook`: runs JupyterLab until it is ended, by Ctrl-C here or by its own menu. Builds and changes nothing."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from typing import Annotated

import typer

from workbook.cli import shared
from workbook.cli.command import Number, command
from workbook.errors import BrokenWorkbook

END_SECONDS = 15.0


@command
def notebook(
    number: Number,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="open it in the browser")] = True,
) -> int:
    """Open the companion notebook of a problem in JupyterLab."""
    catalog = shared.open_catalog()
    problem = catalog.problem(number)
    if not problem.notebook.is_file():
        raise BrokenWorkbook(
            f"{problem.relative(problem.notebook)} is missing: get it again, or run `{shared.command()} build`."
        )
    if importlib.util.find_spec("jupyterlab") is None:
        raise BrokenWorkbook("JupyterLab is not installed here: run `make` again, or `pip install -e .`.")
    shared.console().print(f"Opening {os.path.relpath(problem.notebook)} in JupyterLab. Ctrl-C here ends it.")
    sys.stdout.flush()
    lab = subprocess.Popen(
        [
            *(sys.executable, "-m", "jupyterlab", str(problem.notebook)),
            f"--ServerApp.root_dir={catalog.root}",
            "-y",  # to the question that Ctrl-C would ask
            *([] if browser else ["--no-browser"]),
            *(["--allow-root"] if os.geteuid() == 0 else []),
        ],
        cwd=catalog.root,
    )
    try:
        code = lab.wait()
    except KeyboardInterrupt:  # which the server gets too, and ends its kernels
        _end(lab)
        raise
    if code != 0:
        raise BrokenWorkbook(f"JupyterLab ended with the exit code {code}: what it printed above says why.")
    return 0


def _end(lab: subprocess.Popen[bytes]) -> None:
    """Wait for the server to end its kernels; do not wait for ever."""
    try:
        lab.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        lab.terminate()
    except KeyboardInterrupt:
        lab.terminate()
