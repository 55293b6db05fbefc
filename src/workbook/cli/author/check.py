"""`workbook check`: one line for each rule, with what to do where it is broken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbook.cli import shared
from workbook.cli.command import Numbers, author_command
from workbook.content.problem import Problem
from workbook.errors import BrokenWorkbook

if TYPE_CHECKING:
    from workbook.grading.engine import Engine


@author_command
def check(numbers: Numbers = None) -> int:
    """Prove problems sound, graders included (for authors)."""
    catalog = shared.open_catalog()
    problems = catalog.select(numbers or [])

    from workbook.grading.engine import Engine

    engine = Engine(catalog)
    broken = 0
    try:
        engine.start(fork=True)

        from workbook.author.soundness.rules import workbook_faults

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
    from workbook.author.soundness.rules import RULES
    from workbook.author.trial import Trial

    shared.console().print(f"Problem {problem.number} · {problem.title}")
    trial = Trial(engine, problem)
    broken = 0
    for each in RULES:
        try:
            faults = list(each.faults(trial))
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
