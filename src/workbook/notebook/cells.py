"""A notebook as a submission: its %%solve cells, put into the pristine stub. No cell is run."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass
from typing import Any

from workbook.notebook.files import source_of
from workbook.notebook.merging import CannotMerge, Import, Piece, Pieces, merge, take_apart, without_unchanged

SOLVE = re.compile(r"%%solve\s+(\d+)\s*$")
OLDEST, NEWEST = 3, 4  # of nbformat, whose cells we can find
LARGEST = 100 * 2**20  # bytes of a notebook; what makes one large is its outputs
LARGEST_SOURCE = 2**20  # bytes of what is graded


class CannotUse(Exception):
    """A notebook that cannot be graded; the message says why and what to do, in one line."""


@dataclass(frozen=True)
class Solve:
    """The text below one `%%solve N`, and the number of its cell among all of the notebook's, from 1."""

    cell: int
    text: str
    first: int = 2  # the number of its first line in the cell


@dataclass(frozen=True)
class Assembled:
    """The source that a notebook stands for, and for each line the place in the notebook, or "" where it is the stub's."""

    source: str
    places: tuple[str, ...]


def assemble(content: bytes, number: int, stub: str) -> Assembled:
    """The pristine stub with the definitions of a notebook's `%%solve N` cells, wherever they stand.

    Cells may be copied: equal definitions count once, and those that are still the stub's give way to others. Raises
    CannotUse where there is nothing to grade, or two cells define one name in two ways.
    """
    found = solve_cells(_cells(content), number)
    if not found:
        raise CannotUse(f"it has no cell that begins with %%solve {number}: nothing can be graded.")
    together, places = _together(found, stub)
    try:
        merged = merge(stub, together)
    except CannotMerge as error:
        raise CannotUse(f"{error}.") from None
    if len(merged.text.encode()) > LARGEST_SOURCE:
        raise CannotUse(f"its solution is larger than {LARGEST_SOURCE // 2**20} MB, too large to be graded.")
    return Assembled(merged.text, tuple(places[origin - 1] if origin > 0 else "" for origin in merged.origins))


def _together(found: list[Solve], stub: str) -> tuple[Pieces, list[str]]:
    """What counts of several cells as if it stood in one, and for each line of that the cell and line it is from."""
    taken: dict[str, tuple[Solve, Piece]] = {}
    lines: list[str] = []
    places: list[str] = []
    kept: list[Piece] = []
    imports: list[Import] = []
    for cell in found:
        try:
            pieces = without_unchanged(take_apart(cell.text), stub)
        except CannotMerge as error:
            raise CannotUse(explain(error, cell.text, first=cell.first, cell=cell.cell)) from None
        for piece in pieces.pieces:
            twice = next((name for name in piece.names if name in taken), None)
            if twice is None:
                taken |= dict.fromkeys(piece.names, (cell, piece))
                node = ast.increment_lineno(piece.node, len(lines))
                kept.append(Piece(piece.names, piece.first + len(lines), piece.last + len(lines), node))
            elif taken[twice][1].form != piece.form:
                raise CannotUse(
                    f"cells {taken[twice][0].cell} and {cell.cell} define {twice} in two ways: keep the one that counts."
                )
        imports += [ast.increment_lineno(node, len(lines)) for node in pieces.imports]
        lines += pieces.lines
        places += [f"cell {cell.cell}, line {number}" for number in range(cell.first, cell.first + len(pieces.lines))]
    return Pieces(tuple(lines), tuple(kept), tuple(imports)), places


def solve_cells(cells: list[dict[str, Any]], number: int) -> list[Solve]:
    """The code cells that solve one problem, in their order."""
    found = []
    for place, cell in enumerate(cells, 1):
        if cell.get("cell_type") != "code":
            continue
        text = source_of(cell)
        above = len(text) - len(text.lstrip())
        head, _, body = text[above:].partition("\n")
        match = SOLVE.fullmatch(head.strip())
        if match is not None and int(match[1]) == number:
            found.append(Solve(place, body, text[:above].count("\n") + 2))
    return found


def explain(error: CannotMerge, text: str, *, first: int, cell: int = 0) -> str:
    """What is wrong with a cell, as one sentence that says where.

    Args:
        text: the cell's text below its %%solve line.
        first: the number of that text's first line in the cell.
        cell: the cell's number; 0 where it is the one just run.
    """
    place = [f"cell {cell}"] if cell else []
    place += [f"line {error.line + first - 1}"] if error.line else []
    where = ", ".join(place) + ": " if place else ""
    lines = text.split("\n")
    line = lines[error.line - 1].strip() if 0 < error.line <= len(lines) else ""
    if line.startswith(("%", "!", "?")) or (line.endswith("?") and "#" not in line):
        return f"{where}`{line[:60]}` is for IPython, not Python: move it to a cell without %%solve."
    quoted = f": {line[:60]}" if line and line[:60] not in str(error) else ""
    return f"{where}{str(error).removesuffix('.')}{quoted or '.'}"


def _cells(content: bytes) -> list[dict[str, Any]]:
    """The cells of a notebook of any format that has them."""
    if len(content) > LARGEST:
        raise CannotUse(f"it is larger than {LARGEST // 2**20} MB: clear its outputs and save it.")
    try:
        data = json.loads(content)
    except (ValueError, RecursionError):
        raise CannotUse("it is not a notebook (not JSON): save it again from JupyterLab.") from None
    form = data.get("nbformat") if isinstance(data, dict) else None
    if type(form) is not int:
        raise CannotUse("it is JSON but not a notebook (it has no nbformat): save it again from JupyterLab.")
    if not OLDEST <= form <= NEWEST:
        raise CannotUse(f"its format is nbformat {form}: open it in JupyterLab and save it as nbformat 4.")
    sheets = data.get("worksheets") if form == 3 else [data]
    lists = [sheet.get("cells") if isinstance(sheet, dict) else None for sheet in sheets or [None]]
    if not all(isinstance(cells, list) and all(isinstance(cell, dict) for cell in cells) for cells in lists):
        raise CannotUse("its cells are damaged: save it again from JupyterLab.")
    return [cell for cells in lists for cell in cells or ()]
