"""Puts the definitions of a piece of source in place of the same-named ones of a file; all else stays as it is.

Works on text, line by line, with the syntax tree only to find the lines: comments, blank lines and order are kept.
"""

from __future__ import annotations

import ast
import copy
import io
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
Import = ast.Import | ast.ImportFrom


class CannotMerge(Exception):
    """The source or the file is not what it should be; `line` (from 1) says where, 0 where it is no single line."""

    def __init__(self, message: str, line: int = 0, *, in_file: bool = False) -> None:
        super().__init__(message)
        self.line = line
        self.in_file = in_file


@dataclass(frozen=True)
class Piece:
    """One definition or assignment: the names it gives, its lines in the source that it comes from (from 1, both
    included), and its syntax tree."""

    names: tuple[str, ...]
    first: int
    last: int
    node: ast.stmt

    @property
    def form(self) -> str:
        """What two pieces share that mean the same: layout, comments and docstrings left out."""
        return _form(self.node)


@dataclass(frozen=True)
class Pieces:
    """A piece of source taken apart. Each line of it belongs to one piece, one import, or to nothing."""

    lines: tuple[str, ...]
    pieces: tuple[Piece, ...]
    imports: tuple[Import, ...]

    @property
    def names(self) -> set[str]:
        return {name for piece in self.pieces for name in piece.names}


@dataclass(frozen=True)
class Merged:
    """The new text of a file, and where each of its lines comes from: n is line n of the source, -n line n of the file,
    0 a blank line of ours."""

    text: str
    origins: tuple[int, ...]


@dataclass(frozen=True)
class Edit:
    """Lines `first` to `last` of a file give way to `new`: (text without its end, line of the source). Where last is
    first - 1, nothing gives way."""

    first: int
    last: int
    new: Sequence[tuple[str, int]]


def take_apart(source: str) -> Pieces:
    """The definitions, assignments and imports of a cell. Raises CannotMerge for anything else in it."""
    lines = _lines(source)
    pieces: list[Piece] = []
    imports: list[Import] = []
    end, seen = 0, set[str]()
    for node in _parse(source, in_file=False).body:
        first, last = _extent(node, lines)
        if first <= end:
            raise CannotMerge("two statements share a line: give each a line of its own", first)
        end = last
        if isinstance(node, Import):
            imports.append(node)
        elif not _is_text(node):
            names = _names(node)
            if names is None:
                shown = lines[node.lineno - 1].strip()[:60]
                raise CannotMerge(f"`{shown}` defines nothing: move it to a cell without %%solve", node.lineno)
            if seen.intersection(names):
                raise CannotMerge(f"{min(seen.intersection(names))} is defined twice: keep one of them", node.lineno)
            seen.update(names)
            pieces.append(Piece(names, first, last, node))
    return Pieces(lines, tuple(pieces), tuple(imports))


def without_unchanged(cell: Pieces, stub: str) -> Pieces:
    """The pieces of a cell that are not as the stub has them (docstrings do not count)."""
    forms = {_form(node) for node in _parse(stub, in_file=True).body}
    kept = tuple(piece for piece in cell.pieces if piece.form not in forms)
    return Pieces(cell.lines, kept, cell.imports if kept else ())


def merge(file: str, cell: Pieces) -> Merged:
    """The file with the cell's pieces in place of the same-named ones.

    A name that the file lacks comes before what uses it; an import that it lacks, after its other imports. Where a
    docstring of the cell is the first line of the file's, as in the cells that we make, the file's stays. Raises
    CannotMerge where the file does not parse, or a name in it is defined together with something else.
    """
    tree, lines = _parse(file, in_file=True), _lines(file)
    places = {name: index for index, node in enumerate(tree.body) for name in _names(node) or ()}
    replaced: dict[int, Piece] = {}  # statement of the file -> what takes its place
    added: list[Piece] = []
    edits: list[Edit] = _import_edits(tree, lines, cell.imports)
    for piece in cell.pieces:
        found = sorted({places[name] for name in piece.names if name in places})
        for index in found:
            _check_alone(tree, index, lines, piece)
            first, last = _extent(tree.body[index], lines)
            new = _with_docstrings(cell, piece, tree.body[index], lines) if index == found[0] else []
            edits.append(Edit(first, last, new))
        if found:
            replaced[found[0]] = piece
        else:
            added.append(piece)
    edits += _added_edits(tree, lines, cell, replaced, added)
    merged = _apply(lines, edits, "\r\n" if "\r\n" in file else "\n")
    _parse(merged.text, in_file=True)
    return merged


def _apply(lines: Sequence[str], edits: Sequence[Edit], newline: str) -> Merged:
    out: list[tuple[str, int]] = []
    done = 0
    for edit in sorted(edits, key=lambda edit: (edit.first, edit.last)):  # of equal ones in the order they were made
        out += [(lines[n], -n - 1) for n in range(done, edit.first - 1)]
        if out and not out[-1][0].endswith(("\n", "\r")):
            out[-1] = (out[-1][0] + newline, out[-1][1])
        out += [(line + newline, origin) for line, origin in edit.new]
        done = max(done, edit.last)
    out += [(lines[n], -n - 1) for n in range(done, len(lines))]
    return Merged("".join(line for line, _ in out), tuple(origin for _, origin in out))


def _parse(source: str, *, in_file: bool) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
            compile(tree, "<source>", "exec", dont_inherit=True)  # finds what parsing lets through
            return tree
    except SyntaxError as error:
        raise CannotMerge(str(error.msg), error.lineno or 0, in_file=in_file) from None
    except (ValueError, RecursionError, MemoryError) as error:  # a null byte; nesting without end
        raise CannotMerge(str(error) or "it is nested too deeply", in_file=in_file) from None


def _lines(text: str) -> tuple[str, ...]:
    """The lines with their ends, as Python counts them: a form feed ends none."""
    return tuple(io.StringIO(text, newline="").readlines())


def _extent(node: ast.stmt, lines: Sequence[str]) -> tuple[int, int]:
    """First and last line of a statement: its decorators, and the comments that end the body of a definition."""
    first = min([node.lineno, *(item.lineno for item in getattr(node, "decorator_list", []))])
    last = node.end_lineno or node.lineno
    if isinstance(node, Definition):
        for number, line in enumerate(lines[last:], last + 1):
            if line.strip() and not (line[0] in " \t" and line.lstrip().startswith("#")):
                break
            if line.strip():
                last = number
    return first, last


def _names(node: ast.stmt) -> tuple[str, ...] | None:
    """The names that a statement defines; None where it is neither a definition nor a plain assignment."""
    if isinstance(node, Definition):
        return (node.name,)
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
        return (node.target.id,)
    if not isinstance(node, ast.Assign):
        return None
    targets = [
        item
        for target in node.targets
        for item in (target.elts if isinstance(target, ast.Tuple | ast.List) else [target])
    ]
    names = tuple(item.id for item in targets if isinstance(item, ast.Name))
    return names if len(names) == len(targets) else None


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _form(node: ast.stmt) -> str:
    same = copy.deepcopy(node)
    for inner in ast.walk(same):
        if isinstance(inner, Definition) and _is_text(inner.body[0]):
            del inner.body[0]
    return ast.dump(same)


def _check_alone(tree: ast.Module, index: int, lines: Sequence[str], piece: Piece) -> None:
    first, last = _extent(tree.body[index], lines)
    others = set(_names(tree.body[index]) or ()).difference(piece.names)
    shared = any(
        other != index and node.lineno <= last and (node.end_lineno or node.lineno) >= first
        for other, node in enumerate(tree.body)
    )
    if others or shared:
        raise CannotMerge(f"{piece.names[0]} stands there together with something else", first, in_file=True)


def _added_edits(
    tree: ast.Module, lines: Sequence[str], cell: Pieces, replaced: dict[int, Piece], added: Sequence[Piece]
) -> list[Edit]:
    statements = [replaced[index].node if index in replaced else node for index, node in enumerate(tree.body)]
    edits = []
    for piece, place in zip(added, _added_places(statements, added), strict=True):
        new = _with_docstrings(cell, piece, None, lines)
        if place == len(statements):
            end = max((n for n, line in enumerate(lines, 1) if line.strip()), default=0)
            edits.append(Edit(end + 1, end, [*([("", 0)] * (2 if end else 0)), *new]))
            continue
        first, _ = _extent(tree.body[place], lines)
        while first > 1 and lines[first - 2].startswith("#"):  # a comment belongs to what it stands above
            first -= 1
        apart = 2 if isinstance(piece.node, Definition) or isinstance(statements[place], Definition) else 0
        edits.append(Edit(first, first - 1, [*new, *([("", 0)] * apart)]))
    return edits


def _added_places(statements: Sequence[ast.stmt], added: Sequence[Piece]) -> list[int]:
    """For each new piece the statement that it comes before: the first that uses it, itself or through another new one,
    and at the latest the first definition, since one that uses it may be yet to come. What it needs itself when the
    file is loaded stays before it."""
    latest = next((n for n, node in enumerate(statements) if isinstance(node, Definition)), len(statements))
    places = []
    for piece in added:
        users = [n for n, node in enumerate(statements) if _used(node).intersection(piece.names)]
        places.append(min([latest, *users]))
    for _ in added:
        for n, piece in enumerate(added):
            users = [places[m] for m, other in enumerate(added) if _used(other.node).intersection(piece.names)]
            places[n] = min([places[n], *users])
    for n, piece in enumerate(added):
        needed = _needed(piece.node)
        before = [m for m, node in enumerate(statements, 1) if needed.intersection(_names(node) or ())]
        places[n] = max([places[n], *before])
    return places


def _needed(node: ast.stmt) -> set[str]:
    """The names that a statement uses at once, and not only when a function is called."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        now = [*node.decorator_list, node.args, *([node.returns] if node.returns else [])]
        return {name for part in now for name in _used(part)}
    return _used(node)


def _used(node: ast.AST) -> set[str]:
    return {item.id for item in ast.walk(node) if isinstance(item, ast.Name)}


def _import_edits(tree: ast.Module, lines: Sequence[str], wanted: Sequence[Import]) -> list[Edit]:
    """What adds the imports that a file lacks: after those it has at its top, or else after its docstring."""
    known = {text for node in tree.body if isinstance(node, Import) for text in _bindings(node)}
    missing: dict[str, int] = {}
    for node in wanted:
        for text in _bindings(node):
            if text not in known:
                missing.setdefault(text, node.lineno)
    docstring = 1 if tree.body and _is_text(tree.body[0]) else 0
    first = next((n for n, node in enumerate(tree.body) if isinstance(node, Definition)), len(tree.body))
    last = max((n for n, node in enumerate(tree.body[:first], 1) if isinstance(node, Import)), default=docstring)
    edits = []
    for first_of_all in (True, False):
        new = [item for item in missing.items() if item[0].startswith("from __future__") is first_of_all]
        after = docstring if first_of_all else last
        line = _extent(tree.body[after - 1], lines)[1] if after else 0
        if new:
            apart = [("", 0)] if after == docstring and after else []
            edits.append(Edit(line + 1, line, [*apart, *new]))
    return edits


def _bindings(node: Import) -> list[str]:
    """Each binding of an import as a statement of its own."""
    if isinstance(node, ast.Import):
        return [ast.unparse(ast.Import([alias])) for alias in node.names]
    return [ast.unparse(ast.ImportFrom(node.module, [alias], node.level)) for alias in node.names]


def _with_docstrings(cell: Pieces, piece: Piece, old: ast.stmt | None, lines: Sequence[str]) -> list[tuple[str, int]]:
    """A piece's lines, with the longer docstrings of the definition that it replaces where it has their first line."""
    numbered = [
        (line.rstrip("\r\n"), n) for n, line in enumerate(cell.lines[piece.first - 1 : piece.last], piece.first)
    ]
    longer = dict(_docstrings(old, lines)) if old is not None else {}
    for path, mine in reversed(list(_docstrings(piece.node, cell.lines))):
        theirs = longer.get(path)
        if theirs is None or _text(mine).strip() != _text(theirs).strip().partition("\n")[0].strip():
            continue
        kept = [line.rstrip("\r\n") for line in lines[theirs.lineno - 1 : theirs.end_lineno]]
        kept[0] = " " * mine.col_offset + kept[0].lstrip()
        start, end = mine.lineno - piece.first, (mine.end_lineno or mine.lineno) - piece.first
        numbered[start : end + 1] = [(line, mine.lineno) for line in kept]
    return numbered


def _docstrings(node: ast.stmt, lines: Sequence[str], path: str = "") -> Iterable[tuple[str, ast.Expr]]:
    """The docstrings in a definition that have their lines to themselves, by the dotted name of what they describe."""
    if not isinstance(node, Definition):
        return
    name, text = f"{path}.{node.name}", node.body[0]
    if isinstance(text, ast.Expr) and _is_text(text):
        before = lines[text.lineno - 1].encode()[: text.col_offset]
        after = lines[(text.end_lineno or text.lineno) - 1].encode()[text.end_col_offset :]
        if not before.strip(b" ") and not after.strip():
            yield name, text
    for inner in node.body:
        yield from _docstrings(inner, lines, name)


def _text(node: ast.Expr) -> str:
    assert isinstance(node.value, ast.Constant)
    return str(node.value.value)
