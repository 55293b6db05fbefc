"""`make mutants`: mutants of each solution are graded, and those that no check fails are shown.

A survivor is either a wrong answer that the grader misses or one that a right answer could contain. The first asks for
a check, the second for an excuse: an entry in solutions/<stem>.mutants.toml with the lines before and after, and a
reason. An excuse that excuses nothing is stale and fails too.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import pytest

from workbook.author.mutation.excuses import Excuse, read_excuses
from workbook.author.mutation.mutations import Mutant, mutants
from workbook.author.trial import SLOW, Trial, Until, fails, name_of
from workbook.content import catalog
from workbook.content.problem import Problem
from workbook.errors import BrokenWorkbook, UsageError, WorkbookError
from workbook.grading.engine import Engine
from workbook.results import CheckResult
from workbook.text import clean

MARGIN = 10  # a mutant's call may take this many times the solution's longest,
LEAST_SECONDS = 2.0  # but at least this long


@dataclass(frozen=True)
class Fate:
    """What became of a mutant. `check` failed it; `note` says what was odd about a survivor."""

    mutant: Mutant
    check: str | None
    excuse: Excuse | None = None
    note: str = ""


@dataclass(frozen=True)
class MutationResult:
    """All mutants of one problem, and the faults of its excuses."""

    fates: tuple[Fate, ...]
    faults: tuple[str, ...]

    @property
    def dead(self) -> list[Fate]:
        return [fate for fate in self.fates if fate.check is not None]

    @property
    def excused(self) -> list[Fate]:
        return [fate for fate in self.fates if fate.check is None and fate.excuse is not None]

    @property
    def survivors(self) -> list[Fate]:
        return [fate for fate in self.fates if fate.check is None and fate.excuse is None]


class First:
    """A pytest plugin that runs the checks in the order of a key, and leaves out those whose key is None."""

    def __init__(self, key: Callable[[str], tuple[bool, int] | None]) -> None:
        self.key = key

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        keys = {item: key for item in items if (key := self.key(item.name)) is not None}
        items[:] = sorted(keys, key=lambda item: keys[item])


def put_to_test(
    engine: Engine, problem: Problem, found: Iterable[Mutant], progress: Callable[[str], None] = lambda line: None
) -> MutationResult:
    """Grade mutants until one check fails each. Raises BrokenWorkbook where the solution itself does not pass."""
    excuses = read_excuses(problem)
    trial = Trial(engine, problem)
    trial.solution()
    solution = trial.grade(trial.source, "the solution")  # again, since the first grading pays for imports
    if solution.verdict != "passed":
        raise BrokenWorkbook(f"Problem {problem.number}: the solution does not pass: run `workbook check` first.")
    slow = {name_of(check.id) for check in solution.checks if check.seconds > SLOW}
    kills: dict[str, Counter[str]] = {}
    seconds = max(LEAST_SECONDS, MARGIN * trial.usage.longest_call)
    hasty = replace(problem, limits=replace(problem.limits, call_seconds=seconds))
    found, fates = list(found), []
    for number, mutant in enumerate(found, 1):
        progress(f"Problem {problem.number}: mutant {number} of {len(found)}")
        excuse = next((each for each in excuses if each.fits(mutant)), None)
        deadly = kills.setdefault(mutant.function, Counter())
        fate = _fate(Trial(engine, hasty), mutant, excuse, slow, deadly)
        deadly.update([fate.check] if fate.check else [])
        fates.append(fate)
    return MutationResult(tuple(fates), tuple(_faults(problem, excuses, fates)))


def _fate(trial: Trial, mutant: Mutant, excuse: Excuse | None, slow: set[str], deadly: Counter[str]) -> Fate:
    """Grade one mutant: quick checks first, and of these the ones that failed most mutants of its function.

    An excused one is not put to the slow checks: the reason says that they pass, and each would cost seconds.
    """

    def key(name: str) -> tuple[bool, int] | None:
        return None if excuse is not None and name in slow else (name in slow, -deadly[name])

    result = trial.grade(mutant.source, mutant.kind, plugins=[First(key), Until(_ends)])
    for check in result.checks:
        if check.verdict == "ungraded":
            return Fate(mutant, None, note=f"{name_of(check.id)} is ungraded: {check.message.splitlines()[0]}")
    failed = next((name_of(check.id) for check in result.checks if fails(check)), None)
    if failed is None and result.verdict != "passed":
        return Fate(mutant, None, note=f"it is {result.verdict}. {result.message}".strip())
    return Fate(mutant, failed, excuse if failed is None else None)


def _ends(check: CheckResult) -> bool:
    return fails(check) or check.verdict == "ungraded"


def _faults(problem: Problem, excuses: Sequence[Excuse], fates: Sequence[Fate]) -> Iterable[str]:
    """Excuses that excuse nothing, or more than they should."""
    where = problem.relative(problem.excuses)
    for excuse in excuses:
        shown = f"{_line(excuse.before)}  ->  {_line(excuse.after)}"
        fitting = [fate for fate in fates if excuse.fits(fate.mutant)]
        places = sorted({fate.mutant.function for fate in fitting})
        if not fitting:
            yield f"{where}: no mutant is like this, so drop the excuse: {shown}"
        elif len(places) > 1:
            yield f'{where}: this is in {" and in ".join(places)}: say which with function = "...": {shown}'
        else:
            for fate in fitting:
                if fate.check is not None:
                    yield f"{where}: {fate.check} fails this mutant, so drop the excuse: {shown}"
                elif fate.excuse is not None and fate.excuse is not excuse:
                    yield f"{where}: this mutant is excused twice: {shown}"


def lines_of(problem: Problem, result: MutationResult) -> Iterable[str]:
    """What is printed of one problem: the numbers, then whatever did not die."""
    yield (
        f"Problem {problem.number} · {problem.title}: {len(result.fates)} mutants, {len(result.dead)} dead, "
        f"{len(result.excused)} excused, {len(result.survivors)} survived"
    )
    for fate in result.excused:
        assert fate.excuse is not None
        yield f"  excused   {fate.mutant.function}: {_line(fate.mutant.before)}  ->  {_line(fate.mutant.after)}"
        yield f"            {_line(fate.excuse.reason)}"
    for fate in result.survivors:
        where = f"{problem.relative(problem.solution)}:{fate.mutant.line}"
        yield f"  survived  {fate.mutant.function}, {where}, {fate.mutant.kind}"
        if fate.note:
            yield f"            {fate.note}"
        for sign, text in (("-", fate.mutant.before), ("+", fate.mutant.after)):
            yield from (f"          {sign} {line.rstrip()}" for line in text.splitlines())
    for fault in result.faults:
        yield f"  stale     {fault}"


def main(arguments: Sequence[str]) -> int:
    """Mutants of the problems with these numbers, or of all. 1 where a survivor is unexplained or an excuse stale."""
    try:
        book = catalog.load(catalog.find_root())
        if not all(argument.isdigit() for argument in arguments):
            raise UsageError("Give numbers of problems, such as: python -m workbook.author.mutation.run 1 12")
        problems = book.select([int(argument) for argument in arguments])
        engine = Engine(book)
        bad = 0
        try:
            for problem in problems:
                result = put_to_test(engine, problem, mutants(problem, Trial(engine, problem).source), _progress)
                _progress("")
                print(*lines_of(problem, result), sep="\n", flush=True)
                bad += len(result.survivors) + len(result.faults)
        finally:
            engine.close()
    except WorkbookError as error:
        print(clean(str(error)), file=sys.stderr)
        return error.exit_code
    if bad:
        print("For each survivor add the check that fails it, or excuse it: see docs/authoring.md.")
    return 1 if bad else 0


def _progress(line: str) -> None:
    """One line that is written over, where someone looks on."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)


def _line(text: str) -> str:
    return " ".join(text.split())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
