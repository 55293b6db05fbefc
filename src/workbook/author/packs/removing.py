"""Takes a problem out of a workbook, into a pack."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workbook import transaction
from workbook.author.packs.pack import Pack, problem_pack, read_pack, write_pack
from workbook.author.packs.renumber import with_prerequisites
from workbook.content import layout
from workbook.content.catalog import Catalog
from workbook.content.problem import Problem
from workbook.errors import BrokenWorkbook, UsageError
from workbook.notebook.files import edited
from workbook.transaction import Step, backup_path, digest
from workbook.workspace import progress


@dataclass(frozen=True)
class Removed:
    """What became of a problem that was taken out: copies of a learner's work, and the problems that built on it."""

    kept: tuple[str, ...]
    changed: tuple[Problem, ...]


def take_out(book: Catalog, problem: Problem, out: Path, *, force: bool) -> Removed:
    """Write the problem's pack to `out`, then remove its files from the workbook: all or none.

    With `force`, problems that build on it lose that prerequisite. Raises UsageError where others build on it and
    there is no `force`, where something else is at `out`, or where files cannot be read or written; nothing is changed
    then, though the pack may be there.
    """
    dependents = tuple(other for other in book.problems if problem.number in other.prerequisites)
    if dependents and not force:
        names = " and ".join(f"problem {other.number}" for other in dependents)
        raise UsageError(
            f"Problem {problem.number} is a prerequisite of {names}: remove those first, "
            "or use --force, which drops the prerequisite there."
        )
    try:
        pack = problem_pack(book, problem)
        missing = [name for name in layout.needed(problem.stem) if name not in pack.files]
        if missing:
            raise BrokenWorkbook(f"{missing[0]} is missing: put it there first.")
        write_pack(pack, out)
        if read_pack(out) != pack:
            raise UsageError(f"{out} does not hold the problem as it is: nothing was removed.")
        kept, steps = _steps(book, problem, pack, dependents)
        transaction.change(book.root, "remove", steps)
    except OSError as error:
        raise UsageError(
            f"Problem {problem.number} cannot be taken out ({error.strerror or error}): it is still here."
        ) from None
    return Removed(kept, dependents)


def _steps(
    book: Catalog, problem: Problem, pack: Pack, dependents: tuple[Problem, ...]
) -> tuple[tuple[str, ...], list[Step]]:
    kept, steps = [], []
    learners = [problem.exercise] if digest(problem.exercise) != digest(problem.pristine) else []
    learners += [problem.notebook] if edited(problem.notebook) else []
    for path in learners:
        if path.is_file():
            kept.append(backup_path(path.name))
            steps.append(Step(kept[-1], path.read_bytes(), ""))
    forgotten = progress.forgotten(book.root, [problem.number])
    kept += [step.path for step in forgotten if not step.before]
    for other in dependents:
        numbers = [number for number in other.prerequisites if number != problem.number]
        name = other.relative(other.settings)
        old = other.settings.read_bytes()
        steps.append(Step(name, with_prerequisites(old, numbers, name), digest(other.settings)))
    # First the file that makes it a problem, so that nobody meets half of one.
    names = [pack.settings, *(name for name in (*pack.files, *layout.built(problem.stem)) if name != pack.settings)]
    gone = [Step(name, None, digest(book.root / name)) for name in names if (book.root / name).is_file()]
    return tuple(kept), [*steps, *forgotten, *gone]
