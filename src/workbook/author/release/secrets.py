"""What must not be in a release, and how it is recognised: statements of hidden source, whatever their layout.

Of each function of a solution, of a pitfall and of a hidden check two things are secret: every three statements in a
row, and the body, where it is shorter. What the released stub or grader has too is none. Docstrings, comments,
annotations and imports do not count. Code is compared by its syntax tree, once with its names and once with local names
numbered, so that renaming does not hide it. Other text is compared without blanks, brackets and kinds of quotes.

A body of one or two statements, or three statements in a row, must say something to be recognised: `return x` is in
every program. They count from LEAST_NODES nodes of the syntax tree on, and with their names numbered, where less is left
to tell them apart, from LEAST_RENAMED on.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

ROW = 3
LEAST_NODES = 10
LEAST_RENAMED = 15
LEAST_TEXT = 24  # characters that are left of a statement in other text
BLOCKS = ("body", "handlers", "cases", "orelse", "finalbody")
NAME = re.compile(r"(\bName\(id=|\barg\(arg=)'(\w+)'")
BUILTINS = frozenset(dir(builtins))

Statements = tuple[str, ...]


@dataclass(frozen=True)
class Said:
    """One statement, its syntax tree as text, and how many nodes that has."""

    statement: ast.stmt
    dump: str
    nodes: int


@dataclass(frozen=True)
class Row:
    """Statements that follow each other, in three forms, and how much they say."""

    named: Statements
    renamed: Statements
    statements: Sequence[Said]
    nodes: int
    where: str

    @property
    def text(self) -> str:
        return "".join(squeezed(_text(item.statement)) for item in self.statements)


@dataclass
class Secrets:
    """All secret rows by each of their forms, with the place that each is from."""

    named: dict[Statements, str] = field(default_factory=dict)
    renamed: dict[Statements, str] = field(default_factory=dict)
    text: dict[str, str] = field(default_factory=dict)
    imported: set[str] = field(default_factory=set)  # names that mean the same everywhere, such as torch

    def add(self, source: str, known: str, filename: str) -> None:
        """Add what `source` has and `known`, which is released, has not. Both are Python that parses."""
        self.imported |= imported_names(ast.parse(source))
        public = list(rows(known, filename))
        named, renamed = {row.named for row in public}, {row.renamed for row in public}
        shown = squeezed(known)
        for row in rows(source, filename):
            if row.named in named or row.nodes < LEAST_NODES or not row.where:
                continue
            self.named.setdefault(row.named, row.where)
            if row.nodes >= LEAST_RENAMED and row.renamed not in renamed:
                self.renamed.setdefault(row.renamed, row.where)
            text = row.text
            if len(text) >= LEAST_TEXT and text not in shown:
                self.text.setdefault(text, row.where)

    def in_code(self, source: str) -> str | None:
        """The place of a secret that this Python text has; None where there is none, or where it does not parse."""
        try:
            found = list(rows(source, "", kept=self.imported, every=True))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        for row in found:
            place = self.named.get(row.named) or self.renamed.get(row.renamed)
            if place is not None:
                return place
        return None

    def in_text(self, text: str) -> str | None:
        """The place of a secret that stands in any text, also as comment, quotation or session."""
        whole = squeezed(text)
        return next((place for secret, place in self.text.items() if secret in whole), None)


def rows(source: str, filename: str, *, kept: Set[str] = frozenset(), every: bool = False) -> Iterator[Row]:
    """Every three statements in a row of each function, and of the module and its classes beside their functions.

    Bodies of one or two statements are rows of their own; with `every`, so are any one or two statements.
    """
    tree = ast.parse(source)
    imported = imported_names(tree) | kept
    for name, sequence in _sequences(tree):
        statements = [_said(item) for item in sequence]
        where = f"{filename}: {name}" if name else ""
        sizes = (1, 2, ROW) if every else (min(ROW, len(statements)),)
        for size in sizes:
            for start in range(len(statements) - size + 1):
                yield _row(statements[start : start + size], imported, where)


def squeezed(text: str) -> str:
    """A text as a sequence of its signs: no blanks, no brackets, no marks of comments, quotations and sessions."""
    lines = (re.sub(r"^[\s#>|*.-]+", "", line) for line in text.splitlines())
    return re.sub(r"[\s()\\]|,(?=[)\]}\s])", "", "\n".join(lines)).replace("'", '"')


def _said(statement: ast.stmt) -> Said:
    nodes = sum(not isinstance(node, ast.expr_context) for node in ast.walk(statement))
    return Said(statement, ast.dump(statement), nodes)


def _row(statements: Sequence[Said], imported: set[str], where: str) -> Row:
    named = tuple(item.dump for item in statements)
    return Row(named, _renamed(named, imported), statements, sum(item.nodes for item in statements), where)


def _renamed(named: Statements, kept: set[str]) -> Statements:
    """The dumps with local names replaced by their number in the order of appearance."""
    numbers: dict[str, str] = {}

    def number(match: re.Match[str]) -> str:
        name = match[2]
        if name in BUILTINS or name in kept:
            return match[0]
        return f"{match[1]}{numbers.setdefault(name, str(len(numbers)))}"

    return tuple(NAME.sub(number, dump) for dump in named)


def _text(statement: ast.stmt) -> str:
    """One statement as text; of a compound one its first line, with nothing in it."""
    return ast.unparse(ast.fix_missing_locations(statement))


def imported_names(tree: ast.Module) -> set[str]:
    """The names that a module's imports bind."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    return {alias.asname or alias.name.partition(".")[0] for node in nodes for alias in node.names}


def _sequences(tree: ast.Module) -> Iterator[tuple[str, list[ast.stmt]]]:
    """The statements of each function in the order of the text, those inside others too; name "" outside of functions."""

    def visit(body: Sequence[ast.stmt], prefix: str) -> Iterator[tuple[str, list[ast.stmt]]]:
        loose: list[ast.stmt] = []
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{prefix}{node.name}", list(_flat(node.body))
            elif isinstance(node, ast.ClassDef):
                yield from visit(node.body, f"{prefix}{node.name}.")
            else:
                loose.append(node)
        yield "", list(_flat(loose))

    yield from visit(tree.body, "")


def _flat(body: Sequence[ast.AST]) -> Iterator[ast.stmt]:
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom) or _is_text(node):
            continue
        head = _head(node)
        if head is not None:
            yield head
        for block in BLOCKS:
            inside = getattr(node, block, None)
            if isinstance(inside, list):
                yield from _flat(inside)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _head(node: ast.AST) -> ast.stmt | None:
    """A statement without what is inside it and without annotations; None where nothing of it is left."""
    if isinstance(node, ast.AnnAssign):
        return None if node.value is None else ast.Assign(targets=[node.target], value=node.value)
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        arguments = [ast.arg(arg=item.arg) for item in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
        plain = ast.arguments(posonlyargs=[], args=arguments, kwonlyargs=[], kw_defaults=[], defaults=[])
        return ast.FunctionDef(name=node.name, args=plain, body=[ast.Pass()], decorator_list=[])
    if not isinstance(node, ast.stmt) or isinstance(node, ast.Try | ast.TryStar | ast.Match):
        return None  # what is inside it counts
    fields: dict[str, Any] = {name: value for name, value in ast.iter_fields(node) if name not in BLOCKS}
    if hasattr(node, "body"):
        fields["body"] = [ast.Pass()]
    if hasattr(node, "orelse"):
        fields["orelse"] = []
    return type(node)(**fields)
