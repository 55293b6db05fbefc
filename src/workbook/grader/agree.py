"""`agree` and `same`: the comparisons that a grader makes. A pass is made here, never where the learner's code runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from workbook.compare import first_divergence
from workbook.grader.case import Case, Observation
from workbook.grader.diagnose import Diagnosis
from workbook.grader.outcomes import Outcome, WrongAnswer
from workbook.grader.shrink import paste, smallest
from workbook.grader.sides import Side
from workbook.model import Divergence, Problem
from workbook.signatures import Interface
from workbook.wording import describe

Explain = Callable[[Case, tuple[int, ...]], str]


class Comparisons:
    """Counts what has been compared in one check; a check that compared nothing cannot pass."""

    def __init__(self, check: str) -> None:
        self.check = check
        self.made = 0

    def same(
        self,
        got: Any,
        expected: Any,
        says: str,
        *,
        axes: Sequence[str] = (),
        tolerance: float | None = None,
        exact: bool = False,
    ) -> None:
        """Fail with the sentence `says`, and the first difference, unless the two values are equal.

        Args:
            got, expected: plain values (numbers, tensors, arrays, and lists, tuples and dicts of them).
            says: what is wrong when they differ, as a sentence to the learner.
            axes: names of the axes, for the place of the first difference.
            tolerance: allowed error relative to max|expected|; by dtype where it is None.
            exact: require equality of every bit.
        """
        self.made += 1
        divergence = first_divergence(got, expected, axes=axes, tolerance=tolerance, exact=exact)
        if divergence is None:
            return
        # Of a plain true or false the sentence has said everything.
        detail = "" if type(got) is bool and type(expected) is bool else f"\n{describe(divergence)}"
        raise WrongAnswer(f"{says}{detail}")

    def shaped(self, got: Any, like: Any, *, axes: Sequence[str] = ()) -> None:
        """Fail unless `got` has the type, dtype, device and shape of `like`, whatever its values.

        For a learner's value that the grader is going to index or compute with.
        """
        divergence = first_divergence(got, like, axes=axes)
        if divergence is not None and divergence.kind != "values":
            raise WrongAnswer(describe(divergence))


class Agree:
    """Calls learner and reference alike and fails with a diagnosis where they differ."""

    def __init__(
        self,
        problem: Problem,
        learner: Side,
        reference: Side,
        interface: Interface,
        diagnosis: Diagnosis,
        comparisons: Comparisons,
        seed: int,
    ) -> None:
        self._problem = problem
        self._learner = learner
        self._reference = reference
        self._interface = interface
        self._diagnosis = diagnosis
        self._comparisons = comparisons
        self._seed = seed

    def __call__(
        self,
        target: str | Callable[..., Any],
        *arguments: Any,
        init: tuple[Any, ...] | None = None,
        axes: Sequence[str] = (),
        explain: Explain | None = None,
        tolerance: float | None = None,
        exact: bool = False,
        unchanged: bool = False,
        about: tuple[str, ...] = (),
        **keywords: Any,
    ) -> None:
        """Compare one call.

        Args:
            target: "function", "Class.method", or a program: a callable that gets a side and the arguments.
            arguments: passed by position where the task has no default for them, by name where it has one.
            init: arguments of the class, for "Class.method".
            axes: names of the axes of the result, for the place of the first difference; those of the task's own
                annotation where none are given.
            explain: gives the arithmetic at the first differing index, as one line.
            tolerance: allowed error relative to max|expected|; by dtype where it is None.
            unchanged: also fail where the call modified an argument.
            about: the entry points whose pitfalls may explain a program's failure.
            keywords: passed by name.
        """
        case = Case(target, self._interface, arguments, init, keywords)
        axes = axes or case.result_axes()
        self._compare(case, axes, explain, tolerance, exact, unchanged, about)

    def gradients(
        self,
        target: str,
        *arguments: Any,
        cotangent: Any,
        init: tuple[Any, ...] | None = None,
        tolerance: float | None = None,
        **keywords: Any,
    ) -> None:
        """Compare the gradients of <value, cotangent> in every float tensor argument (of the class too, with `init`)."""
        case = Case(target, self._interface, arguments, init, keywords, cotangent=cotangent)
        self._compare(case, case.result_axes(), None, tolerance, False, False, ())

    def device(self, target: str, *arguments: Any, **keywords: Any) -> None:
        """The call makes its tensors on the device of its arguments, and answers there.

        The learner gets the arguments on torch's meta device, which has shapes and no values: a tensor made elsewhere
        cannot be mixed with them. The reference gets the values, so that it need not load what that device takes.
        """
        case = Case(target, self._interface, arguments, None, keywords)
        expected = case.run(self._reference).value.to("meta")
        moved = case.with_args({name: _on_meta(value) for name, value in case.args.items()})
        self._comparisons.made += 1
        divergence = first_divergence(moved.run(self._learner).value, expected, axes=case.result_axes())
        if divergence is not None:
            raise WrongAnswer(describe(divergence))

    def _compare(
        self,
        case: Case,
        axes: Sequence[str],
        explain: Explain | None,
        tolerance: float | None,
        exact: bool,
        unchanged: bool,
        about: tuple[str, ...],
    ) -> None:
        expected = case.run(self._reference)
        got = case.run(self._learner)
        self._comparisons.made += 1
        difference = self._difference(case, got, expected, axes, tolerance, exact, unchanged)
        if difference is None:
            return
        message, divergence = difference
        lines = [message]
        if explain is not None and divergence is not None and divergence.kind == "values":
            filled = replace(case, expected=expected.value, got=got.value)
            lines.append(f"There: {explain(filled, divergence.index)}")
        names = (case.entry_point,) if case.entry_point else about
        pitfall = self._diagnosis.name(case, got, expected, names, self._seed, tolerance)
        if pitfall is not None:
            lines.append(f"This matches a known mistake: {pitfall}.")
        if isinstance(case.target, str) and case.cotangent is None:
            lines += self._smallest_failing(case, tolerance, exact, unchanged)
        raise WrongAnswer("\n".join(lines), pitfall)

    def _difference(
        self,
        case: Case,
        got: Observation,
        expected: Observation,
        axes: Sequence[str],
        tolerance: float | None,
        exact: bool,
        unchanged: bool,
    ) -> tuple[str, Divergence | None] | None:
        divergence = first_divergence(got.value, expected.value, axes=axes, tolerance=tolerance, exact=exact)
        if divergence is not None:
            return describe(divergence), divergence
        if unchanged and got.changed:
            return f"The call changed its argument {' and '.join(got.changed)}: work on a copy.", None
        for name, gradient in (expected.gradients or {}).items():
            found = (got.gradients or {}).get(name)
            if found is None and gradient is not None:
                return f"No gradient reaches {name}: something on the way detaches it.", None
            divergence = first_divergence(found, gradient, axes=case.axes().get(name, ()), tolerance=tolerance)
            if divergence is not None:
                return (
                    f"The value is right, but the gradient with respect to {name} is not.\n{describe(divergence)}",
                    None,
                )
        return None

    def _smallest_failing(self, case: Case, tolerance: float | None, exact: bool, unchanged: bool) -> list[str]:
        def fails(candidate: Case) -> bool:
            expected, got = candidate.run(self._reference), candidate.run(self._learner)
            return self._difference(candidate, got, expected, (), tolerance, exact, unchanged) is not None

        try:
            found = smallest(case, fails)
        except Outcome:
            return []  # a smaller input fails in another way: the difference already found is the one to tell
        if found is None:
            return []
        text = paste(found, self._problem.stem, self._problem.library)
        if not text:
            return []
        expected, got = found.run(self._reference).value, found.run(self._learner).value
        lines = ["A small input on which it fails, to paste into Python in the folder of the file:"]
        lines += [f"    {line}" for line in text.splitlines()]
        for label, value in (("expected", expected), ("got", got)):
            shown = _brief(value)
            if shown:
                lines.append(f"    # {label} {shown}")
        return lines


def _on_meta(value: Any) -> Any:
    return value.to("meta") if type(value).__module__.startswith("torch") else value


def _brief(value: Any) -> str:
    """A result on one line, or "" where it does not fit."""
    kind = type(value)
    if kind.__module__.startswith(("torch", "numpy")):
        shown = _list(value.tolist())
    elif kind is dict:
        shown = ", ".join(f"{key} {_brief(item)}" for key, item in value.items())
    else:
        shown = repr(value)
    return shown if len(shown) <= 84 else ""


def _list(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_list(item) for item in value) + "]"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
