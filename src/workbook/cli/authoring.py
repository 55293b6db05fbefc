"""The commands for authors."""

from __future__ import annotations

import os

from workbook import building
from workbook.catalog import Catalog
from workbook.cli import shared
from workbook.engine import Engine
from workbook.errors import BrokenWorkbook
from workbook.model import Problem
from workbook.progress import write_bytes


def build(*, check: bool) -> int:
    """Make every built file; with `check`, only say which are stale (exit 1 then)."""
    from workbook.author.recording import recorded

    catalog = shared.open_catalog()
    console = shared.console()
    stale = 0

    def handle(built: building.Built) -> None:
        nonlocal stale
        if built.stale:
            stale += 1
            console.print(f"{'stale' if check else 'built'}  {os.path.relpath(built.path, catalog.root)}")
            if not check:
                building.write(built)

    shared.warn_of_broken(catalog)
    for problem in catalog.problems:
        if building.edited(problem):
            console.print(f"kept   exercises/{problem.exercise.name}: it is edited, so it is not built again")
            stale += check
        for built in building.stubs(problem):
            handle(built)
        stale += _lesson(catalog, problem, check=check)
    engine = Engine(catalog)
    try:
        engine.start(fork=True)
        readme = building.readme(catalog, engine)
        handle(building.Built(readme.path, recorded(catalog, readme.text)))
    finally:
        engine.close()
    if check and stale:
        console.print("Some built files are not what their sources make: run `workbook build`.")
        return 1
    if catalog.broken:
        return BrokenWorkbook.exit_code
    console.print("All built files are fresh.")
    return 0


def _lesson(book: Catalog, problem: Problem, *, check: bool) -> int:
    """Make the arrays and the notebook of one problem, or with `check` only say which are stale; how many are."""
    if not problem.lesson.is_file():
        return 0
    from workbook.author import lesson_arrays, notebooks
    from workbook.notebook.files import edited

    console = shared.console()
    stale = 0
    if lesson_arrays.stale(problem):
        console.print(f"{'stale' if check else 'built'}  {os.path.relpath(problem.recorded, book.root)}")
        if check:
            return 1  # the notebook is made from them
        write_bytes(problem.recorded, lesson_arrays.record(problem))
        stale += 1
    built = notebooks.notebook(book, problem)
    if built.stale and edited(problem.notebook):
        console.print(f"kept   notebooks/{problem.notebook.name}: it is edited; remove it to have it built again")
        return stale + check
    if built.stale:
        console.print(f"{'stale' if check else 'built'}  {os.path.relpath(built.path, book.root)}")
        if not check:
            building.write(built)
        stale += 1
    return stale


def check(numbers: list[int]) -> int:
    """Prove that problems are sound: one line for each rule, with what to do where it is broken (exit 1 then)."""
    catalog = shared.open_catalog()
    problems = catalog.select(numbers)
    engine = Engine(catalog)
    broken = 0
    try:
        engine.start(fork=True)

        from workbook.author.rules import workbook_faults

        for rule, faults in workbook_faults(catalog):
            broken += report_rule(rule, faults)
        for problem in problems:
            broken += prove(engine, problem)
    finally:
        engine.close()
    count = len(problems)
    what = f"{count} problem{'s' if count != 1 else ''}"
    if broken:
        shared.console().print(f"{broken} rule{'s' if broken != 1 else ''} broken in {what}.")
        return 1
    shared.console().print(f"{what} sound.")
    return 0


def prove(engine: Engine, problem: Problem) -> int:
    """Put one problem to all rules, with an engine that has started; the number of broken ones."""
    from workbook.author.bench import Bench
    from workbook.author.rules import RULES

    shared.console().print(f"Problem {problem.number} · {problem.title}")
    bench = Bench(engine, problem)
    broken = 0
    for each in RULES:
        try:
            faults = list(each.faults(bench))
        except BrokenWorkbook as error:
            faults = [str(error)]
        broken += report_rule(each.says, faults, indent="  ")
    return broken


def report_rule(rule: str, faults: list[str], indent: str = "") -> bool:
    """Print one rule's line, and a line for each fault; whether it is broken."""
    console = shared.console()
    console.print(f"{indent}{'broken' if faults else 'ok    '}  {rule}")
    for fault in faults:
        console.print(f"{indent}        {fault}")
    return bool(faults)


def new(number: int, slug: str) -> int:
    """Make a complete small problem, and say what to edit."""
    from workbook.author.new import new_problem

    catalog = shared.open_catalog(may_be_empty=True)
    problem = new_problem(catalog, number, slug)
    console = shared.console()
    console.print(f"Problem {number} is made, and works. Edit these into yours:")
    for path in (
        problem.solution,
        problem.settings,
        problem.pitfalls,
        problem.grader,
        problem.recipe,
        problem.lesson,
    ):
        console.print(f"  {os.path.relpath(path)}")
    command = shared.command()
    console.print(
        f"Then run `{command} build` to make its stub and notebook, and `{command} check {number}` to prove it sound."
    )
    return 0
