"""Why a mutant may survive: the entries of solutions/<stem>.mutants.toml."""

from __future__ import annotations

from dataclasses import dataclass

from workbook.author.mutation.mutations import Mutant
from workbook.content.problem import Problem
from workbook.content.reading import read_toml
from workbook.errors import BrokenWorkbook


@dataclass(frozen=True)
class Excuse:
    """Why a survivor may survive. `function` says where, if the lines occur in more than one."""

    before: str
    after: str
    reason: str
    function: str | None = None

    def fits(self, mutant: Mutant) -> bool:
        place = self.function is None or self.function == mutant.function
        return place and squeezed(self.before, self.after) == squeezed(mutant.before, mutant.after)


def read_excuses(problem: Problem) -> tuple[Excuse, ...]:
    """The excuses beside a solution; none where there is no file. Raises BrokenWorkbook for a file that is wrong."""
    path, where = problem.excuses, problem.relative(problem.excuses)
    if not path.is_file():
        return ()
    data = read_toml(path, where)
    entries = data.pop("excused", [])
    if data or not isinstance(entries, list):
        raise BrokenWorkbook(f"{where} holds [[excused]] entries and nothing else.")
    for number, entry in enumerate(entries, 1):
        allowed = {"before", "after", "reason", "function"}
        good = isinstance(entry, dict) and allowed - {"function"} <= set(entry) <= allowed
        if not good or not all(isinstance(value, str) and value.strip() for value in entry.values()):
            raise BrokenWorkbook(
                f"{where}: entry {number} needs before, after and reason, each a text, and may have function."
            )
    return tuple(Excuse(**entry) for entry in entries)


def squeezed(*texts: str) -> tuple[str, ...]:
    return tuple("".join(text.split()) for text in texts)
