"""`workbook build`: makes every built file, or says which are stale."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from workbook.cli import shared
from workbook.cli.command import author_command
from workbook.content.catalog import Catalog
from workbook.content.problem import Problem
from workbook.errors import BrokenWorkbook
from workbook.files.writing import write_bytes


@author_command
def build(
    only_check: Annotated[bool, typer.Option("--check", help="change nothing; fail where a file is stale")] = False,
) -> int:
    """Make stubs, notebooks and the README's reports from their sources (for authors)."""
    from workbook.author.build import built_files
    from workbook.author.build.security import security
    from workbook.author.build.session import recorded

    catalog = shared.open_catalog()
    console = shared.console()
    stale = 0

    def handle(built: built_files.Built) -> None:
        nonlocal stale
        if built.stale:
            stale += 1
            console.print(f"{'stale' if only_check else 'built'}  {os.path.relpath(built.path, catalog.root)}")
            if not only_check:
                built_files.write(built)

    shared.warn_of_broken(catalog)
    for problem in catalog.problems:
        if built_files.edited(problem):
            console.print(f"kept   {problem.relative(problem.exercise)}: it is edited, so it is not built again")
            stale += only_check
        for built in built_files.stubs(problem):
            handle(built)
        stale += _lesson(catalog, problem, check=only_check)

    for built in security(catalog.root):
        handle(built)

    from workbook.grading.engine import Engine

    engine = Engine(catalog)
    try:
        engine.start(fork=True)
        readme = built_files.readme(catalog, engine)
        handle(built_files.Built(readme.path, recorded(catalog, readme.text)))
    finally:
        engine.close()
    if only_check and stale:
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
    from workbook.author.build import arrays, built_files, notebooks
    from workbook.notebook.files import edited

    console = shared.console()
    stale = 0
    if arrays.stale(problem):
        console.print(f"{'stale' if check else 'built'}  {os.path.relpath(problem.recorded, book.root)}")
        if check:
            return 1  # the notebook is made from them
        write_bytes(problem.recorded, arrays.file_content(problem))
        stale += 1
    built = notebooks.notebook(book, problem)
    if built.stale and edited(problem.notebook):
        console.print(f"kept   {problem.relative(problem.notebook)}: it is edited; remove it to have it built again")
        return stale + check
    if built.stale:
        console.print(f"{'stale' if check else 'built'}  {os.path.relpath(built.path, book.root)}")
        if not check:
            built_files.write(built)
        stale += 1
    return stale
