"""Worthless answers made from a solution: the same source, with what one entry point returns replaced.

They are text, like pitfalls, and run as submissions. `MUST_FAIL` are answers that no grader may accept; the others may
be harmless for some problems (a detached result where nothing is differentiated) and only show which checks can fail.
"""

from __future__ import annotations

from workbook.content.problem import Problem
from workbook.content.signatures import Interface

# Each is an expression of `value`, one array or number of the result, and of `first`, the first argument.
MUST_FAIL = {
    "zeros": "value * 0",
    "a constant": "value * 0 + 1",
    "NaN": "value * 0 + float('nan') if _floating(value) else value * 0",
    "the first argument": "first",
}
MAY_FAIL = {
    "float32 results": "_cast(value, 'float32')",
    "float64 results": "_cast(value, 'float64')",
    "detached results": "value.detach() if hasattr(value, 'detach') else value",
    "results rounded to 6 places": "value.round(decimals=6) if _floating(value) and hasattr(value, 'round') else value",
    "batch rows mixed": "value + 1e-6 * value.mean(0) if _floating(value) and _dim(value) > 1 else value",
    "time mixed": "value + 1e-6 * value.flip(1).detach() if hasattr(value, 'flip') and _floating(value) and _dim(value) > 1 else value",
    "the axes swapped": "value.swapaxes(0, 1) if _dim(value) > 1 else value",
    "one element less": "value[:, :-1] if _dim(value) > 1 else value",
    "results wrapped in a list": "[value]",
    "changed arguments": "_spoil(arguments, value)",
    "nothing": "None",
    "a failing call": "1 / 0",
}

_HELPERS = """

def _floating(value):
    kind = str(getattr(value, "dtype", type(value).__name__))
    return "float" in kind


def _dim(value):
    return len(getattr(value, "shape", ()))


def _cast(value, name):
    if not _floating(value):
        return value
    if hasattr(value, "astype"):
        return value.astype(name)
    return getattr(value, {"float32": "float", "float64": "double"}[name])() if hasattr(value, "double") else value


def _spoil(arguments, value):
    for item in arguments:
        if _dim(item) and _floating(item) and not getattr(item, "requires_grad", False):
            item += 1
    return value


def _distorted(original):
    def call(*arguments, **keywords):
        found = [item for item in arguments if _dim(item)]
        first = found[0] if found else arguments[0] if arguments else None

        def change(value):
            if isinstance(value, dict):
                return {key: change(item) for key, item in value.items()}
            if isinstance(value, (tuple, list)):
                return type(value)(change(item) for item in value)
            return EXPRESSION

        return change(original(*arguments, **keywords))

    return call
"""


def distorted(problem: Problem, interface: Interface, solution: str, expression: str) -> list[tuple[str, str]]:
    """(entry point, source) for each entry point of the problem, its results replaced by the expression."""
    helpers = _HELPERS.replace("EXPRESSION", expression)
    made = []
    for target in _targets(problem, interface):
        made.append((target, f"{solution.rstrip()}\n{helpers}\n\n{target} = _distorted({target})\n"))
    return made


def _targets(problem: Problem, interface: Interface) -> list[str]:
    """Entry points as things that are called: of a class its methods but the constructor."""
    targets = []
    for name in problem.entry_points:
        if name in interface.classes:
            targets += [f"{name}.{method}" for method in interface.classes[name] if not method.startswith("__")]
        else:
            targets.append(name)
    return targets
