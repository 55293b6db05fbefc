"""Slips of this field, as changes of a source text: what is easily dropped, swapped or mistaken in tensor code.

Each operator is a function of one syntax node that yields replacements; a replacement is a piece of the text, from the
start of one node to the end of another, and what stands there instead.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

# Names that are taken for one another.
SIBLINGS = {
    "tanh": "sigmoid",
    "sigmoid": "tanh",
    "zeros_like": "ones_like",
    "zeros": "ones",
    "ones": "zeros",
    "array": "asarray",
    "asarray": "array",
    "float64": "float32",
    "argmax": "argmin",
    "mean": "sum",
    "sum": "mean",
    "stack": "cat",
    "train": "eval",
    "eval": "train",
    "clone": "detach",
    "Adam": "SGD",
}


@dataclass(frozen=True)
class Replacement:
    """`text` in place of what stands from the start of `first` to the end of `last`."""

    kind: str
    first: ast.expr | ast.stmt
    last: ast.expr | ast.stmt
    text: str


@dataclass(frozen=True)
class Around:
    """What an operator may know of the place of a node."""

    parameters: tuple[str, ...]  # of the function around it, self not included
    strings: tuple[str, ...]  # that occur in the function's solution, in order
    differentiable: bool  # whether the function returns something that a gradient can come back from
    following: ast.stmt | None  # the statement after this one, in the same block and in the lines
    imported: frozenset[str]
    library: str
    solution: str


Operator = Callable[[ast.AST, Around], Iterator[Replacement]]


def slips(solution: str, lines: frozenset[int], library: str) -> Iterator[tuple[str, int, str]]:
    """(kind, line, changed source) for every slip of one node that lies in the lines. Not all are valid Python."""
    tree = ast.parse(solution)
    text = solution.encode()
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    imported = frozenset(
        (alias.asname or alias.name).partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    )
    following = {
        before: after
        for node in ast.walk(tree)
        for block in ("body", "orelse")
        if isinstance(statements := getattr(node, block, None), list)
        for before, after in pairwise(statements)
        if after.lineno in lines
    }
    for function, node in _with_function(tree, None):
        if not isinstance(node, ast.expr | ast.stmt) or node.lineno not in lines:
            continue
        around = Around(
            parameters=_parameters(function),
            strings=_strings(function, lines),
            differentiable=function is None or function.returns is None or "Float" in ast.unparse(function.returns),
            following=following.get(node),
            imported=imported,
            library=library,
            solution=solution,
        )
        for operator in OPERATORS:
            for change in operator(node, around):
                start = starts[change.first.lineno - 1] + change.first.col_offset
                end = starts[(change.last.end_lineno or 0) - 1] + (change.last.end_col_offset or 0)
                yield change.kind, node.lineno, (text[:start] + change.text.encode() + text[end:]).decode()


def _with_function(node: ast.AST, function: ast.FunctionDef | None) -> Iterator[tuple[ast.FunctionDef | None, ast.AST]]:
    for child in ast.iter_child_nodes(node):
        yield function, child
        yield from _with_function(child, child if isinstance(child, ast.FunctionDef) else function)


def _parameters(function: ast.FunctionDef | None) -> tuple[str, ...]:
    if function is None:
        return ()
    arguments = function.args
    names = [item.arg for item in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return tuple(name for name in names if name != "self")


def _strings(function: ast.FunctionDef | None, lines: frozenset[int]) -> tuple[str, ...]:
    nodes = ast.walk(function) if function is not None else ()
    constants = (node for node in nodes if isinstance(node, ast.Constant) and node.lineno in lines)
    return tuple(dict.fromkeys(node.value for node in constants if isinstance(node.value, str)))


def _whole(kind: str, node: ast.expr | ast.stmt, text: str) -> Iterator[Replacement]:
    yield Replacement(kind, node, node, text)


def _atom(node: ast.expr) -> str:
    """The text of an expression that stays one thing wherever it is put."""
    text = ast.unparse(node)
    simple = ast.Name | ast.Attribute | ast.Call | ast.Subscript | ast.Constant | ast.List | ast.Dict
    return text if isinstance(node, simple) else f"({text})"


def dropped_statement(node: ast.AST, around: Around) -> Iterator[Replacement]:
    kinds = ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Expr | ast.Return | ast.For | ast.While | ast.If | ast.With
    if isinstance(node, kinds):
        yield from _whole("statement dropped", node, "pass")


def swapped_statements(node: ast.AST, around: Around) -> Iterator[Replacement]:
    """A statement after the one that should follow it, such as an update before the gradients are clipped."""
    if isinstance(node, ast.stmt) and around.following is not None and not _independent(node, around.following):
        first, second = (ast.get_source_segment(around.solution, each) for each in (node, around.following))
        indent = " " * node.col_offset
        yield Replacement("statements swapped", node, around.following, f"{second}\n{indent}{first}")


def _independent(one: ast.stmt, other: ast.stmt) -> bool:
    """Whether both are assignments and neither uses a name that the other gives a value."""
    if not (isinstance(one, ast.Assign) and isinstance(other, ast.Assign)):
        return False
    first, second = (
        [(item.id, isinstance(item.ctx, ast.Store)) for item in ast.walk(each) if isinstance(item, ast.Name)]
        for each in (one, other)
    )
    return not any(name == same and (given or taken) for name, given in first for same, taken in second)


def dropped_context(node: ast.AST, around: Around) -> Iterator[Replacement]:
    """`with torch.no_grad():` left out, its body kept."""
    if isinstance(node, ast.With):
        last = node.items[-1].optional_vars or node.items[-1].context_expr
        yield Replacement("with dropped", node, last, "if True")


def dropped_call(node: ast.AST, around: Around) -> Iterator[Replacement]:
    """The function or method left out: x for f(x, ...) and for x.f(...), and x for x.T."""
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and not _of_module(node.func.value, around):
            yield from _whole("call dropped", node, _atom(node.func.value))
        elif node.args and not isinstance(node.args[0], ast.Starred):
            yield from _whole("call dropped", node, _atom(node.args[0]))
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and node.attr == "T":
        yield from _whole("transpose dropped", node, _atom(node.value))


def _of_module(node: ast.expr, around: Around) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id in around.imported


def changed_operands(node: ast.AST, around: Around) -> Iterator[Replacement]:
    """Operands swapped where that matters, one of them left out, @ taken for *."""
    if not isinstance(node, ast.BinOp):
        return
    if not isinstance(node.op, ast.Add | ast.Mult):
        yield from _whole("operands swapped", node, f"{_atom(node.right)} {_sign(node.op)} {_atom(node.left)}")
    for operand in (node.left, node.right):
        yield from _whole("operand dropped", node, _atom(operand))
    if isinstance(node.op, ast.MatMult):
        yield from _whole("product element by element", node, f"{_atom(node.left)} * {_atom(node.right)}")


def _sign(operator: ast.operator) -> str:
    return ast.unparse(ast.BinOp(ast.Name("a"), operator, ast.Name("b"))).split()[1]


def changed_range(node: ast.AST, around: Around) -> Iterator[Replacement]:
    """One step too few or too many at either end, and the other direction."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range"):
        return
    if len(node.args) == 1:
        yield from _whole("range starts late", node, f"range(1, {ast.unparse(node.args[0])})")
    for bound in node.args[:2]:
        if not isinstance(bound, ast.Constant):
            for change in ("- 1", "+ 1"):
                yield from _whole("range off by one", bound, f"{_atom(bound)} {change}")
    yield from _whole("range reversed", node, f"reversed({ast.unparse(node)})")


def one_iteration(node: ast.AST, around: Around) -> Iterator[Replacement]:
    """A loop that is left after its first turn."""
    if isinstance(node, ast.For | ast.While):
        last = node.body[-1]
        text = ast.get_source_segment(around.solution, last)
        yield Replacement("loop left early", last, last, f"{text}\n{' ' * last.col_offset}break")


def another_argument(node: ast.AST, around: Around) -> Iterator[Replacement]:
    """An argument of the function mistaken for another."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in around.parameters:
        for name in around.parameters:
            if name != node.id:
                yield from _whole("another argument", node, name)


def changed_call(node: ast.AST, around: Around) -> Iterator[Replacement]:
    """Arguments of a call swapped with their neighbour or left out."""
    if not isinstance(node, ast.Call):
        return
    yield from _swapped("arguments swapped", node.args)
    arguments, keywords = node.args, node.keywords
    for place in range(len(arguments)):
        rest = ast.Call(node.func, arguments[:place] + arguments[place + 1 :], keywords)
        yield from _whole("argument dropped", node, ast.unparse(rest))
    for place in range(len(keywords)):
        rest = ast.Call(node.func, arguments, keywords[:place] + keywords[place + 1 :])
        yield from _whole("keyword dropped", node, ast.unparse(rest))


def swapped_elements(node: ast.AST, around: Around) -> Iterator[Replacement]:
    """Neighbours in a tuple, a list or an index swapped, and neighbouring values of a dict."""
    if isinstance(node, ast.Tuple | ast.List):
        yield from _swapped("elements swapped", node.elts)
    elif isinstance(node, ast.Dict):
        yield from _swapped("values swapped", node.values)


def _swapped(kind: str, nodes: Sequence[ast.expr]) -> Iterator[Replacement]:
    for place in range(len(nodes) - 1):
        left, right = nodes[place], nodes[place + 1]
        yield Replacement(kind, left, right, f"{ast.unparse(right)}, {ast.unparse(left)}")


def changed_index(node: ast.AST, around: Around) -> Iterator[Replacement]:
    """An index that is one off, a slice that begins at the beginning or ends at the end."""
    if isinstance(node, ast.Subscript):
        index = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        for name in index:
            if isinstance(name, ast.Name):
                for change in ("- 1", "+ 1"):
                    yield from _whole("index off by one", name, f"{name.id} {change}")
    if isinstance(node, ast.Slice):
        step = f":{ast.unparse(node.step)}" if node.step else ""
        lower, upper = (ast.unparse(item) if item else "" for item in (node.lower, node.upper))
        if node.lower:
            yield from _whole("slice without start", node, f":{upper}{step}")
        if node.upper:
            yield from _whole("slice without end", node, f"{lower}:{step}")


def mistaken_name(node: ast.AST, around: Around) -> Iterator[Replacement]:
    """A function taken for its sibling, a text for the next one that the function uses."""
    if isinstance(node, ast.Attribute) and node.attr in SIBLINGS:
        yield from _whole("sibling", node, f"{_atom(node.value)}.{SIBLINGS[node.attr]}")
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and len(around.strings) > 1:
        following = around.strings[(around.strings.index(node.value) + 1) % len(around.strings)]
        yield from _whole("another text", node, repr(following).replace("'", '"'))


def changed_value(node: ast.AST, around: Around) -> Iterator[Replacement]:
    """A value that loses its gradient or changes its dtype on the way."""
    if isinstance(node, ast.Assign | ast.Return) and not isinstance(node.value, ast.List | ast.Dict | ast.Tuple | None):
        if around.library == "torch" and around.differentiable:
            yield from _whole("gradient lost", node.value, f"{_atom(node.value)}.detach()")
        cast = ".double()" if around.library == "torch" else '.astype("float32")'
        yield from _whole("dtype changed", node.value, f"{_atom(node.value)}{cast}")


OPERATORS: tuple[Operator, ...] = (
    dropped_statement,
    swapped_statements,
    dropped_context,
    dropped_call,
    changed_operands,
    changed_range,
    one_iteration,
    another_argument,
    changed_call,
    swapped_elements,
    changed_index,
    mistaken_name,
    changed_value,
)
