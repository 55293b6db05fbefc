"""Tries a pack in a copy of a workbook, and puts it into the workbook itself."""

from __future__ import annotations

from pathlib import Path

from workbook import transaction
from workbook.author.build import built_files, lessons
from workbook.author.copy import learners_copy
from workbook.author.packs.pack import Pack
from workbook.author.soundness.rules import workbook_faults
from workbook.content import catalog, layout
from workbook.content.catalog import Catalog
from workbook.content.problem import Problem
from workbook.errors import BrokenWorkbook, UsageError
from workbook.transaction import Step
from workbook.workspace import progress


def tried_in(book: Catalog, pack: Pack, folder: Path) -> tuple[Catalog, Problem, list[str]]:
    """Put the pack into a copy of the workbook in an empty folder: that workbook, the problem there, and new faults.

    Raises UsageError where its files cannot even be read.
    """
    learners_copy(book, folder)
    for name, content in pack.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    try:
        problem = catalog.read_problem(folder, folder / pack.settings)
        for built in built_files.stubs(problem):
            built_files.write(built)
        copy = catalog.load(folder)
        lessons.make(copy, problem)
    except BrokenWorkbook as error:
        raise UsageError(f"{error} Nothing was changed.") from None
    known = {fault for _, faults in workbook_faults(book) for fault in faults}
    faults = [fault for _, faults in workbook_faults(copy) for fault in faults if fault not in known]
    return copy, problem, faults


def put_in(book: Catalog, pack: Pack, tried: Problem) -> Problem:
    """Put a pack's files, and what is built from them, into the workbook: all or none.

    Args:
        tried: the problem in the copy where it was checked.

    Raises UsageError where a file is there already or cannot be written.
    """
    files = dict(pack.files)
    for name in (*layout.built(pack.stem), *layout.sources(pack.stem)):
        if name not in files and (tried.root / name).is_file():
            files[name] = (tried.root / name).read_bytes()
    files[pack.settings] = files.pop(pack.settings)  # last: it makes the problem one
    steps = [Step(name, content, "") for name, content in files.items()]
    steps += progress.forgotten(book.root, [pack.number])
    try:
        transaction.change(book.root, "add", steps)
    except OSError as error:
        raise UsageError(f"The problem cannot be put in ({error.strerror or error}): nothing was changed.") from None
    return catalog.load(book.root).problem(pack.number)
