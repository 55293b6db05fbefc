"""`agree` and `same`: the comparisons that a grader makes. A pass is made here, never where the learner's code runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from workbook.answers.keyed import NotInKey
from workbook.boundary.outcomes import LearnerFault, Outcome, WrongAnswer
from workbook.checks.case import Case
from workbook.checks.diagnose import Diagnosis
from workbook.checks.paste import paste, told_apart
from workbook.checks.shrink import smallest
from workbook.checks.sides import Side
from workbook.checks.wanted import Wanted
from workbook.compare.description import describe
from workbook.compare.divergence import first_divergence
from workbook.content.problem import Problem
from workbook.content.signatures import Interface

ABOUT_META = (
    "(This check calls the function with tensors on torch's meta device, which have shapes and no values, to see where "
    "it makes its own: use the device of the arguments.)"
)
LACKS = "More could not be said"
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
        raise WrongAnswer(f"{says}{detail}", form=divergence.kind != "values")

    def shaped(self, got: Any, like: Any, *, axes: Sequence[str] = ()) -> None:
        """Fail unless `got` has the type, dtype, device and shape of `like`, whatever its values.

        For a learner's value that the grader is going to index or compute with.
        """
        self.made += 1
        divergence = first_divergence(got, like, axes=axes)
        if divergence is not None and divergence.kind != "values":
            raise WrongAnswer(describe(divergence), form=True)


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
        module: str,
    ) -> None:
        self._problem = problem
        self._module = module  # the name that the submission's file is imported by; "" for a notebook
        self._learner = learner
        self._reference = reference
        self._interface = interface
        self._diagnosis = diagnosis
        self._comparisons = comparisons

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
        wanted = Wanted(tuple(axes or case.result_axes()), tolerance, exact, unchanged=unchanged)
        self._compare(case, wanted, explain, about)

    def gradients(
        self,
        target: str,
        *arguments: Any,
        cotangent: Any,
        init: tuple[Any, ...] | None = None,
        axes: Sequence[str] = (),
        tolerance: float | None = None,
        **keywords: Any,
    ) -> None:
        """Compare the gradients of <value, cotangent> in every float tensor argument (of the class too, with `init`)."""
        case = Case(target, self._interface, arguments, init, keywords, cotangent=cotangent)
        self._compare(case, Wanted(tuple(axes or case.result_axes()), tolerance))

    def form(
        self,
        target: str,
        *arguments: Any,
        init: tuple[Any, ...] | None = None,
        axes: Sequence[str] = (),
        **keywords: Any,
    ) -> None:
        """The value has the type, keys, dtype and shape of the reference's, whatever its numbers."""
        case = Case(target, self._interface, arguments, init, keywords)
        self._compare(case, Wanted(tuple(axes or case.result_axes()), form_only=True))

    def unchanged(self, target: str, *arguments: Any, init: tuple[Any, ...] | None = None, **keywords: Any) -> None:
        """The call leaves its arguments as they were. Of its value only type, dtype and shape count here."""
        case = Case(target, self._interface, arguments, init, keywords)
        self._compare(case, Wanted(case.result_axes(), form_only=True, unchanged=True))

    def device(self, target: str, *arguments: Any, axes: Sequence[str] = (), **keywords: Any) -> None:
        """The call makes its tensors on the device of its arguments, and answers there.

        The learner gets the arguments on torch's meta device, which has shapes and no values: a tensor made elsewhere
        cannot be mixed with them. The reference gets the values, so that it need not load what that device takes. Code
        that looks at values (`if x.min() < 0`) cannot run there, however right it is: the check is skipped then.
        """
        case = Case(target, self._interface, arguments, None, keywords)
        expected = case.run(self._reference).value.to("meta")
        moved = case.with_args({name: _on_meta(value) for name, value in case.args.items()})
        self._comparisons.made += 1
        try:
            got = moved.run(self._learner).value
        except LearnerFault as fault:
            if "Tensor.item() cannot be called on meta tensors" in fault.message:
                pytest.skip("The code looks at values, which this check cannot give it: it gives shapes only.")
            about = f"\n{ABOUT_META}" if "meta" in fault.message else ""
            raise LearnerFault(fault.verdict, f"{fault.message}{about}") from None
        divergence = first_divergence(got, expected, axes=axes or case.result_axes())
        if divergence is not None:
            raise WrongAnswer(f"{describe(divergence)}\n{ABOUT_META}", form=True)

    def _compare(self, case: Case, wanted: Wanted, explain: Explain | None = None, about: tuple[str, ...] = ()) -> None:
        expected = case.run(self._reference)
        got = case.run(self._learner)
        self._comparisons.made += 1
        names = (case.entry_point,) if case.entry_point else about
        difference = wanted.difference(case, got, expected)
        if difference is None:
            self._diagnosis.agreed(case, got, expected, names, wanted, (self._learner, self._reference))
            return
        message, divergence = difference
        lines = [message]
        if explain is not None and divergence is not None and divergence.kind == "values":
            filled = replace(case, expected=expected.value, got=got.value)
            lines.append(f"There: {explain(filled, divergence.index)}")
        pitfall = None
        try:
            pitfall = self._diagnosis.name(case, got, expected, names, wanted, self._learner)
            if pitfall is not None:
                lines.append(f"This matches a known mistake: {pitfall}.")
            if isinstance(case.target, str) and case.cotangent is None:
                lines += self._smallest_failing(case, wanted)
        except NotInKey as gap:  # the verdict stands without it, but the help that is missing is not passed over
            lines.append(f"{LACKS}: {gap}")
        raise WrongAnswer("\n".join(lines), pitfall, form=divergence is not None and divergence.kind != "values")

    def _smallest_failing(self, case: Case, wanted: Wanted) -> list[str]:
        def fails(candidate: Case) -> bool:
            expected, got = candidate.run(self._reference), candidate.run(self._learner)
            return wanted.difference(candidate, got, expected) is not None

        try:
            found = smallest(case, fails)
        except Outcome:
            return []  # a smaller input fails in another way: the difference already found is the one to tell
        text = paste(found, self._module, self._problem.library) if found is not None else ""
        if found is None or not text:
            return []
        where = "in the folder of the file" if self._module else "below your definitions"
        lines = [f"A small input on which it fails, to paste into Python {where}:"]
        lines += [f"    {line}" for line in text.splitlines()]
        if not wanted.form_only:
            expected, got = told_apart(found.run(self._reference).value, found.run(self._learner).value)
            lines += [f"    # expected {expected}", f"    # got {got}"] if expected and got else []
        return lines


def _on_meta(value: Any) -> Any:
    return value.to("meta") if type(value).__module__.startswith("torch") else value
