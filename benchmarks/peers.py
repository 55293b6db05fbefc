"""Grading one submission of problem 1 by this engine and by three peers, side by side in one run.

Each peer gets its own virtual environment under .venv-peers, set up at first need, and four checks in its own format
from benchmarks/peers: the two hand examples, several rows and channels, a start from h0. This engine runs all its
checks of the problem, among them those four. A right and a wrong answer are graded in turn by one after the other, and
the scores are printed too: what graded nothing would be quick.

Machines differ and are shared, so nothing here passes or fails: it is printed for a person to read.
"""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from workbook.content import catalog
from workbook.content.problem import Problem
from workbook.grading.engine import Engine
from workbook.grading.grading import Grading, Task
from workbook.grading.session import grade

ROOT = Path(__file__).parents[1]
FORMATS = ROOT / "benchmarks" / "peers"
VENVS = ROOT / ".venv-peers"
# What the checks and the solution import; torch is this project's own.
COMMON = ("torch==2.13.0", "numpy==2.4.6", "jaxtyping==0.3.11")
ROUNDS = 3
BATCH = 4
PATIENCE = 300  # seconds for one grading


class Unavailable(Exception):
    """A tool cannot be installed or did not grade here; the message says why."""


@dataclass(frozen=True)
class Answer:
    """A submission. `right` says whether it deserves all points; a wrong one deserves some."""

    name: str
    path: Path
    right: bool

    @property
    def source(self) -> str:
        return self.path.read_text(encoding="utf-8")


@dataclass(frozen=True)
class Graded:
    """One grading: seconds for a submission, and what it scored."""

    seconds: float
    points: float
    out_of: float

    @property
    def score(self) -> str:
        return f"{self.points:g}/{self.out_of:g}"


class Grader(Protocol):
    label: str

    def grade(self, answer: Answer) -> Graded: ...


class Cold:
    """This engine as the learner starts it: `workbook grade 1`, a new process each time."""

    label = "workbook grade 1, cold"

    def grade(self, answer: Answer) -> Graded:
        command = [sys.executable, "-m", "workbook", "grade", "1", "--file", str(answer.path)]
        start = time.perf_counter()
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        seconds = time.perf_counter() - start
        found = re.search(r"([\d.]+) of ([\d.]+) points", done.stdout)
        if found is None:
            raise Unavailable(last_line(done.stdout + done.stderr))
        return Graded(seconds, float(found[1]), float(found[2]))


@dataclass(eq=False)
class Warm:
    """This engine in a session that has graded before, as in `workbook watch`."""

    engine: Engine
    problem: Problem
    label = "the same, warm"

    def grade(self, answer: Answer) -> Graded:
        start = time.perf_counter()
        (result,) = grade(Grading(self.engine, [Task.at(self.problem, answer.path)])).problems
        seconds = time.perf_counter() - start
        if result.score is None:
            raise Unavailable(result.message)
        return Graded(seconds, result.score, result.max_score)


class Peer:
    """A tool in its own virtual environment, working in its own folder, which is its home too."""

    label: str
    packages: tuple[str, ...]

    def __init__(self, folder: Path, answers: list[Answer]) -> None:
        """Install the tool where it is not yet, and prepare what is not part of grading a submission."""
        name = re.split(r"[\[=]", self.packages[0])[0]
        self.venv = virtual_environment(VENVS / name, (*self.packages, *COMMON))
        self.folder = folder / name
        self.folder.mkdir()
        self.prepare(answers)

    def prepare(self, answers: list[Answer]) -> None:
        raise NotImplementedError

    def grade(self, answer: Answer) -> Graded:
        raise NotImplementedError

    def run(self, *command: str) -> float:
        """The seconds that one of the environment's commands takes, whatever it exits with."""
        environment = without_python(os.environ) | {
            "HOME": str(self.folder),
            "PATH": f"{self.venv / 'bin'}{os.pathsep}{os.environ['PATH']}",
        }
        program = [str(self.venv / "bin" / command[0]), *command[1:]]
        start = time.perf_counter()
        try:
            done = subprocess.run(
                program, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as fault:
            raise Unavailable(f"{command[0]} did not run: {fault}") from fault
        self.said = done.stdout + done.stderr
        return time.perf_counter() - start

    def result(self, name: str) -> str:
        """The text of a file that the last command must have written; it is removed, so that none is read twice."""
        path = self.folder / name
        if not path.is_file():
            raise Unavailable(f"it wrote no {name}; its last words: {last_line(self.said)}")
        text = path.read_text(encoding="utf-8")
        path.unlink()
        return text


class Otter(Peer):
    label = "otter-grader 7.0.0: otter run"
    packages = ("otter-grader[grading]==7.0.0",)

    def prepare(self, answers: list[Answer]) -> None:
        (self.folder / "tests").mkdir()
        shutil.copy(FORMATS / "otter_scan.py", self.folder / "tests" / "scan.py")
        for answer in answers:
            shutil.copy(answer.path, self.folder / f"{answer.name}.py")
        self.run("otter", "generate", "-t", "tests", "-o", "autograder.zip")

    def grade(self, answer: Answer) -> Graded:
        seconds = self.run("otter", "run", "-a", "autograder.zip", "-o", ".", f"{answer.name}.py")
        scored = [test for test in json.loads(self.result("results.json"))["tests"] if "score" in test]
        return Graded(seconds, sum(test["score"] for test in scored), sum(test["max_score"] for test in scored))


class Nbgrader(Peer):
    label = "nbgrader 0.9.6: nbgrader autograde"
    packages = ("nbgrader==0.9.6",)
    students = 1

    def prepare(self, answers: list[Answer]) -> None:
        self.notebook("source/scan", "raise NotImplementedError")
        for answer in answers:
            for number in range(self.students):
                self.notebook(f"submitted/{answer.name}{number}/scan", answer.source)
        self.run("nbgrader", "generate_assignment", "scan")
        if not (self.folder / "gradebook.db").is_file():
            raise Unavailable(f"generate_assignment failed: {last_line(self.said)}")
        shutil.copy(self.folder / "gradebook.db", self.folder / "empty.db")

    def notebook(self, folder: str, source: str) -> None:
        """Write scan.ipynb: a cell with the answer, then the checks, a cell each."""
        parts = re.split(r"^# %% (\w+)\n", (FORMATS / "nbgrader_scan.py").read_text(encoding="utf-8"), flags=re.M)
        cells = [cell("answer", source, solution=True, locked=False)]
        for name, code in zip(parts[1::2], parts[2::2], strict=True):
            cells.append(cell(name, code.strip(), **({} if name == "inputs" else {"grade": True, "points": 1})))
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        content = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
        path = self.folder / folder / "scan.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(content), encoding="utf-8")

    def grade(self, answer: Answer) -> Graded:
        # From an empty gradebook, so that a score which is found there is of this grading.
        shutil.copy(self.folder / "empty.db", self.folder / "gradebook.db")
        shutil.rmtree(self.folder / "autograded", ignore_errors=True)
        seconds = self.run("nbgrader", "autograde", "scan", f"--student={answer.name}*")
        said = self.said
        self.run("nbgrader", "export")
        rows = list(csv.DictReader(self.result("grades.csv").splitlines()))
        scores = {(float(row["score"]), float(row["max_score"])) for row in rows}
        if len(rows) != self.students or len(scores) != 1:
            raise Unavailable(f"{len(rows)} of {self.students} were graded; its last words: {last_line(said)}")
        return Graded(seconds / self.students, *scores.pop())


def cell(name: str, source: str, **settings: object) -> dict[str, object]:
    """A code cell with nbgrader's settings: unless said otherwise, one that only runs."""
    plain = {"grade": False, "solution": False, "locked": True, "task": False, "schema_version": 3, "grade_id": name}
    metadata = {"nbgrader": plain | settings}
    common: dict[str, object] = {
        "cell_type": "code",
        "id": name.replace("_", "-"),
        "execution_count": None,
        "outputs": [],
    }
    return common | {"metadata": metadata, "source": source}


class NbgraderBatch(Nbgrader):
    label = f"the same, each of a batch of {BATCH}"
    students = BATCH

    def __init__(self, folder: Path, answers: list[Answer]) -> None:
        (folder / "batch").mkdir()
        super().__init__(folder / "batch", answers)


class PrairieLearn(Peer):
    label = "pytest-prairielearn-grader 0.3.1: pytest"
    # Version 0.3.1 imports pandas and plot_serializer (and numpy and networkx) without asking pip for them.
    packages = ("pytest-prairielearn-grader==0.3.1", "pandas==3.1.1", "plot-serializer==0.2.3")

    def prepare(self, answers: list[Answer]) -> None:
        (self.folder / "test_scan").mkdir()
        shutil.copy(FORMATS / "prairielearn_scan.py", self.folder / "test_scan.py")
        shutil.copy(FORMATS / "prairielearn_trailing.py", self.folder / "test_scan" / "trailing_code.py")

    def grade(self, answer: Answer) -> Graded:
        shutil.copy(answer.path, self.folder / "test_scan" / "student_code.py")
        seconds = self.run("python", "-m", "pytest", "-q", "--rootdir=.", "test_scan.py")
        tests = json.loads(self.result("autograder_results.json"))["tests"]
        return Graded(seconds, sum(test["points"] for test in tests), sum(test["max_points"] for test in tests))


PEERS = (Otter, Nbgrader, NbgraderBatch, PrairieLearn)


def virtual_environment(venv: Path, packages: tuple[str, ...]) -> Path:
    """The environment, made where it is missing and installed into where it was made for other packages."""
    stamp = venv / ".installed"
    if stamp.is_file() and stamp.read_text(encoding="utf-8").split() == list(packages):
        return venv
    print(f"Setting up {venv.relative_to(ROOT)}, once: {' '.join(packages)} ...", flush=True)
    python = venv / "bin" / "python"
    pip = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    for command in ([sys.executable, "-m", "venv", str(venv)], [str(python), *pip, *packages]):
        done = subprocess.run(command, env=without_python(os.environ), capture_output=True, text=True, check=False)
        if done.returncode:
            raise Unavailable(f"it cannot be installed: {last_line(done.stderr or done.stdout)}")
    stamp.write_text("\n".join(packages), encoding="utf-8")
    return venv


def without_python(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment without what would let this project's packages or the user's kernels into a peer."""
    mine = ("PYTHON", "PYTEST", "VIRTUAL_ENV", "JUPYTER", "IPYTHON")
    return {name: value for name, value in environment.items() if not name.startswith(mine)}


def last_line(text: str) -> str:
    return (text.strip().splitlines() or ["(nothing)"])[-1]


def graded(grader: Grader, answer: Answer) -> Graded:
    """Grade an answer, and refuse a score that shows that the checks did not really run on it."""
    result = grader.grade(answer)
    if (result.points == result.out_of) != answer.right or not result.points:
        raise Unavailable(f"it gave the {answer.name} answer {result.score}")
    return result


def compare(graders: list[Grader], answers: list[Answer]) -> dict[Grader, dict[Answer, list[Graded]]]:
    """Let the graders take turns, so that a busy moment meets them all. One that fails is said and left out."""
    results: dict[Grader, dict[Answer, list[Graded]]] = {item: {answer: [] for answer in answers} for item in graders}
    # In the round before the first, caches of bytecode, fonts and files are filled: it does not count.
    for number in range(1 + ROUNDS):
        for grader in list(results):
            for answer in answers[-1:] if number == 0 else answers:
                try:
                    result = graded(grader, answer)
                except Unavailable as fault:
                    if not isinstance(grader, Peer):
                        raise  # the ratios are to this engine
                    print(f"Left out: {grader.label}: {fault}")
                    del results[grader]
                    break
                if number > 0:
                    results[grader][answer].append(result)
    return results


def show(results: dict[Grader, dict[Answer, list[Graded]]], answers: list[Answer]) -> None:
    """A line for each grader: median seconds, how often that is ours cold and warm, and the score; for each answer."""
    print(
        f"Grading one submission of problem 1 (median of {ROUNDS}, taking turns; workbook: all its checks, peers: four)"
    )
    print(" " * 43 + "".join(f"{f'{answer.name} answer':<38}" for answer in answers).rstrip())
    print(" " * 43 + "seconds  x cold  x warm   score        ".join([""] * (len(answers) + 1)).rstrip())
    medians = [
        [statistics.median(item.seconds for item in taken[answer]) for answer in answers] for taken in results.values()
    ]
    cold, warm = medians[:2]
    for (grader, taken), row in zip(results.items(), medians, strict=True):
        line = f"  {grader.label:<41}"
        for answer, seconds, by_cold, by_warm in zip(answers, row, cold, warm, strict=True):
            scores = "|".join(sorted({item.score for item in taken[answer]}))
            line += f"{seconds:7.3f} {seconds / by_cold:7.2f} {seconds / by_warm:7.1f}   {scores:<13}"
        print(line.rstrip())


def main() -> None:
    book = catalog.load(ROOT)
    scan = next(problem for problem in book.problems if problem.number == 1)
    answers = [
        Answer("right", scan.solution, right=True),
        Answer("wrong", ROOT / "docs" / "examples" / scan.stem / "values.py", right=False),
    ]
    engine = Engine(book)
    with tempfile.TemporaryDirectory() as name:
        graders: list[Grader] = [Cold(), Warm(engine, scan)]
        for peer in PEERS:
            try:
                graders.append(peer(Path(name), answers))
            except Unavailable as fault:
                print(f"Left out: {peer.label}: {fault}")
        print("Grading in turn; this takes some minutes ...", flush=True)
        try:
            results = compare(graders, answers)
        finally:
            engine.close()
    show(results, answers)


if __name__ == "__main__":
    main()
