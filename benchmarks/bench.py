"""Timings for which docs/design.md gives budgets, side by side in one run, each as a ratio to something known.

Machines differ and are shared, so nothing here passes or fails: it is printed for a person to read.
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path

from workbook.author.copy import learners_copy
from workbook.boundary.server import ForkServer, start
from workbook.content import catalog
from workbook.content.problem import Problem
from workbook.grading.engine import PRELOADED, Engine
from workbook.grading.grading import Grading, Task
from workbook.grading.session import grade
from workbook.sandbox.layers import FULL, SWITCH
from workbook.sandbox.limits import Allowance
from workbook.wire import channel

ROOT = Path(__file__).parents[1]
REPEATS = 5


def seconds(action: Callable[[], object], repeats: int = REPEATS) -> list[float]:
    taken = []
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        taken.append(time.perf_counter() - start)
    return taken


def interleaved(*actions: Callable[[], object], repeats: int = REPEATS) -> list[float]:
    """Median of each action, the actions taking turns so that a busy moment meets them all."""
    taken: list[list[float]] = [[] for _ in actions]
    for _ in range(repeats):
        for times, action in zip(taken, actions, strict=True):
            times += seconds(action, 1)
    return [statistics.median(times) for times in taken]


def python(*arguments: str) -> Callable[[], object]:
    return lambda: subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, check=False)


def row(name: str, value: float, note: str = "") -> None:
    print(f"  {name:<52} {value * 1000:8.1f} ms   {note}")


def commands(scan: Problem) -> None:
    print("Commands (median; each a new process)")
    solved = ("-m", "workbook", "grade", "1", "--file", str(scan.solution))
    plain = ("-m", "pytest", "-q", "-p", "no:cacheprovider", f"graders/{scan.grader.name}", "--submission", "solutions")
    bare, imports, overview, cold, by_pytest = interleaved(
        python("-c", "pass"),
        python("-c", "import torch, pytest"),
        python("-m", "workbook"),
        python(*solved),
        python(*plain),
    )
    row("python -c pass", bare)
    row("workbook", overview, "budget 300 ms")
    row('python -c "import torch, pytest"', imports)
    row("workbook grade 1, cold", cold, f"{cold / imports:.2f} x the imports (budget 1.3 x)")
    row("plain pytest on the same checks, cold", by_pytest, f"{by_pytest / imports:.2f} x the imports")


def warm(engine: Engine, problem: Problem, budget: str) -> None:
    task = Task.at(problem, problem.solution)
    first, *again = seconds(lambda: grade(Grading(engine, [task])), 1 + REPEATS)
    row(f"problem {problem.number}: first grading in a session", first)
    row(f"problem {problem.number}: again", statistics.median(again), budget)


def forks() -> None:
    """What each layer of the sandbox adds to a fork: one zygote for each combination, taking turns."""
    print("Fork of a worker to its exit (median of 100, taking turns; its `started` message is waited for)")
    layers = [layer for layer in FULL if layer != "process"]
    # Bare, each layer alone (the scratch folder in memory and the view need namespaces), all together.
    mounts = ("namespaces", "scratch", "view")
    alone = [(layer,) for layer in layers if layer not in mounts[1:]]
    combinations = [(), *alone, mounts[:2], mounts, tuple(layers)]
    servers = []
    saved = os.environ.get(SWITCH)
    try:
        for kept in combinations:
            os.environ[SWITCH] = ",".join(set(layers) - set(kept)) or "nothing"
            servers.append(start(PRELOADED, fork=False))
        times = interleaved(*(fork_to_exit(server) for server in servers), repeats=100)
    finally:
        for server in servers:
            server.close()
        os.environ.pop(SWITCH)
        if saved is not None:
            os.environ[SWITCH] = saved
    bare = times[0]
    for kept, taken in zip(combinations, times, strict=True):
        name = "all layers" if len(kept) == len(layers) else " + ".join(kept) or "bare: no layer"
        row(name, taken, "" if not kept else f"{taken / bare - 1:+.2f} x a bare fork on top of it")
    print(f"  {'budget for all layers':<52} {'':8}      +0.75 x")


def fork_to_exit(server: ForkServer) -> Callable[[], object]:
    def act() -> None:
        worker = server.fork(Allowance())
        worker.line.setblocking(True)
        channel.receive(worker.line)
        server.end(worker)

    return act


TIMED = """

import time as _time

_timed = train


def train(*arguments, **keywords):
    start = _time.perf_counter()
    losses = _timed(*arguments, **keywords)
    print(f"train took {_time.perf_counter() - start}")
    return losses
"""


def lab(engine: Engine, problem: Problem) -> None:
    """The lab's grading against the time inside the learner's own `train`, which prints it."""
    source = problem.solution.read_text(encoding="utf-8").replace(
        '\n\nif __name__ == "__main__":', TIMED + "\n\nif False:"
    )
    taken, training = [], []
    for _ in range(5):
        start = time.perf_counter()
        report = grade(Grading(engine, [Task.of(problem, source)])).problems[0]
        taken.append(time.perf_counter() - start)
        training.append(sum(float(number) for check in report.checks for number in TRAINED.findall(check.output)))
    row("the lab: a grading", statistics.median(taken))
    row("the lab: of which inside the learner's train", statistics.median(training))
    ratio = statistics.median(whole / inside for whole, inside in zip(taken, training, strict=True))
    print(f"  {'ratio':<52} {ratio:8.2f}      budget 1.5")


def saves(scan: Problem, count: int = 50) -> None:
    """From a save to the verdict on the screen of `workbook watch`, in a real terminal."""
    import pexpect

    print(f"From save to verdict in `workbook watch` ({count} saves, right and wrong in turn)")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        learners_copy(catalog.load(ROOT), folder)
        exercise = folder / "exercises" / scan.exercise.name
        answers = [scan.solution, ROOT / "docs" / "examples" / scan.stem / "values.py"]
        texts = [path.read_text(encoding="utf-8") for path in answers]
        child = pexpect.spawn(
            sys.executable, ["-m", "workbook", "watch"], cwd=name, dimensions=(60, 100), encoding="utf-8", timeout=60
        )
        child.expect("q quit")
        taken = []
        for number in range(count):
            time.sleep(0.1)
            start = time.perf_counter()
            exercise.write_text(f"# {number}\n{texts[number % 2]}", encoding="utf-8")
            child.expect(["Passed:", "not passed yet"][number % 2])
            taken.append(time.perf_counter() - start)
            child.expect("q quit")
        child.send("q")
        child.expect(pexpect.EOF)
    row("median", statistics.median(taken))
    row("95th percentile", statistics.quantiles(taken, n=20)[-1])


def magics(scan: Problem) -> None:
    """`%grade` in a notebook's kernel, from the run of its cell to the report: a right answer."""
    import nbformat
    from nbclient import NotebookClient

    print("In a notebook's kernel")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        learners_copy(catalog.load(ROOT), folder)
        (folder / "exercises" / scan.exercise.name).write_bytes(scan.solution.read_bytes())
        sources = ["%load_ext workbook", *[f"%grade {scan.number}"] * (1 + REPEATS)]
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
        client = NotebookClient(notebook, kernel_name="python3", timeout=120, resources={"metadata": {"path": name}})
        client.execute(env={**os.environ, "IPYTHONDIR": str(folder / "ipython")})
    first, *again = (between(cell.metadata.execution) for cell in notebook.cells[1:])
    row(f"%grade {scan.number}, first in a kernel", first)
    row(f"%grade {scan.number}, again", statistics.median(again), f"{first / statistics.median(again):.0f} x as fast")


def between(times: Mapping[str, str]) -> float:
    """Seconds that the run of a cell took."""
    start, end = (datetime.fromisoformat(times[key]) for key in ("iopub.execute_input", "shell.execute_reply"))
    return (end - start).total_seconds()


TRAINED = re.compile(r"train took ([\d.]+)")


def main() -> None:
    book = catalog.load(ROOT)
    by_number = {problem.number: problem for problem in book.problems}
    commands(by_number[1])
    engine = Engine(book)
    try:
        print("In a warm session (median)")
        for number, problem in by_number.items():
            if number != 14:
                warm(engine, problem, "budget 100 ms")
        if 14 in by_number:
            lab(engine, by_number[14])
    finally:
        engine.close()
    magics(by_number[1])
    saves(by_number[1])
    forks()


if __name__ == "__main__":
    main()
