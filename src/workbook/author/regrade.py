"""The saved corpus regraded: every score and message that a change of grader or engine changed is shown, not guessed.

The corpus is tests/corpus/<stem>/{right,wrong}/*.py; its golden results stand beside it in golden.json. Run as
`python -m workbook.author.regrade [--update] [N ...]`.
"""

from __future__ import annotations

import difflib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from workbook.author.trial import name_of
from workbook.content import catalog
from workbook.content.layout import CORPUS
from workbook.content.problem import Problem
from workbook.errors import WorkbookError
from workbook.files.writing import write_whole
from workbook.grading.engine import Engine
from workbook.grading.grading import Grading, Task
from workbook.grading.session import grade
from workbook.results import ProblemResult

NUMBER = re.compile(r"-?\d+\.\d+(?:e[+-]?\d+)?|-?\d+e[+-]?\d+")
PLACE = re.compile(r"\b((?:time|batch|unit|channel|hidden|expected|got) )-?[\d.]+")
TINY = 1e-6


def corpus(problem: Problem) -> Path:
    return problem.root / CORPUS.format(stem=problem.stem)


def cases(problem: Problem) -> list[Path]:
    """Every saved submission of a problem, right ones first."""
    return [path for kind in ("right", "wrong") for path in sorted((corpus(problem) / kind).glob("*.py"))]


def summary(result: ProblemResult) -> dict[str, Any]:
    """What is kept of a grading: verdict, score, and of every check that did not pass the verdict and the message."""
    return {
        "verdict": result.verdict,
        "score": result.score,
        "checks": {
            name_of(check.id): f"{check.verdict}: {rounded(check.message)}"
            for check in result.checks
            if check.verdict != "passed"
        },
    }


def rounded(message: str) -> str:
    """A message without what may differ from one processor to another: the last digits of its fractions, and what
    depends on them, such as the number and the first place of differences too small to be seen."""

    def shorten(match: re.Match[str]) -> str:
        value = float(match[0])
        return "tiny" if abs(value) < TINY else f"{value:.3g}"

    message = NUMBER.sub(shorten, message)
    if "error is tiny" in message:
        message = PLACE.sub(lambda match: match[1] + "…", message)
    message = re.sub(
        r"\d+ of (\d+ values are off; the largest error is (?:tiny|\S+e-\d+), allowed)", r"… of \1", message
    )
    return re.sub(r"\n *# expected (.*)\n *# got \1(?=\n|$)", "", message)


def golden(problem: Problem) -> dict[str, Any]:
    """The golden results by case, such as "wrong/rounded"; none where the file is missing."""
    path = corpus(problem) / "golden.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def case_name(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def changes(old: dict[str, Any] | None, new: dict[str, Any]) -> Iterator[str]:
    """What is different, line by line; nothing where all is the same."""
    if old is None:
        yield "  no golden result: `make golden` writes it"
        return
    for name in ("verdict", "score"):
        if old[name] != new[name]:
            yield f"  {name}: {old[name]} -> {new[name]}"
    for check in sorted({*old["checks"], *new["checks"]}):
        before, after = old["checks"].get(check, "passed"), new["checks"].get(check, "passed")
        if before != after:
            yield f"  {check}:"
            lines = difflib.ndiff(before.splitlines(), after.splitlines())
            yield from (f"    {line}" for line in lines if line[0] in "+-")


def regrade(engine: Engine, problems: tuple[Problem, ...], *, update: bool) -> int:
    """Grade every saved submission; print what changed. How many cases did; after an update, how many right answers
    do not pass, which no golden result makes good."""
    changed = failed = 0
    for problem in problems:
        known, found = golden(problem), {}
        for path in cases(problem):
            found[case_name(path)] = new = summary(grade(Grading(engine, [Task.at(problem, path)])).problems[0])
            if path.parent.name == "right" and new["verdict"] != "passed":
                failed += 1
            lines = list(changes(known.get(case_name(path)), new))
            if lines:
                changed += 1
                print(f"{problem.stem} {case_name(path)}", *lines, sep="\n")
        for name in sorted(set(known) - set(found)):
            changed += 1
            print(f"{problem.stem} {name}\n  a golden result, but no submission: `make golden` removes it")
        print(f"{problem.stem}: {len(found)} submissions regraded.")
        if update:
            text = json.dumps(found, indent=1, sort_keys=True, ensure_ascii=False)
            write_whole(corpus(problem) / "golden.json", text + "\n")
    if failed:
        print(f"{failed} right answers do not pass: a grader is too strict, or they are not right.")
    return failed if update else changed


def main(arguments: list[str]) -> int:
    numbers = [int(item) for item in arguments if item.isdigit()]
    try:
        book = catalog.load(catalog.find_root())
        engine = Engine(book)
        try:
            changed = regrade(engine, book.select(numbers), update="--update" in arguments)
        finally:
            engine.close()
    except WorkbookError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    if changed and "--update" not in arguments:
        print(f"{changed} results changed. If all of them are meant, `make golden` keeps them.")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
