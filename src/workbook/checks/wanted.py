"""What one comparison asks for, and how an observation of the learner falls short of it."""

from __future__ import annotations

from dataclasses import dataclass

from workbook.checks.case import Case, Observation
from workbook.compare.description import describe
from workbook.compare.divergence import Divergence, first_divergence


@dataclass(frozen=True)
class Wanted:
    """How values are compared, and what else counts: untouched arguments, gradients where they were asked for."""

    axes: tuple[str, ...] = ()
    tolerance: float | None = None
    exact: bool = False
    form_only: bool = False  # of a value only type, dtype and shape count
    unchanged: bool = False

    def difference(self, case: Case, got: Observation, expected: Observation) -> tuple[str, Divergence | None] | None:
        """The first thing that is wrong, as sentences and, for a value, as data; None where nothing is."""
        divergence = self._divergence(got.value, expected.value, self.axes)
        if divergence is not None:
            return describe(divergence), divergence
        if self.unchanged and got.changed:
            plural = "s" if len(got.changed) > 1 else ""
            return f"The call changed its argument{plural} {' and '.join(got.changed)}: work on a copy.", None
        for name, gradient in (expected.gradients or {}).items():
            found = (got.gradients or {}).get(name)
            if found is None and gradient is not None:
                return f"No gradient reaches {name}: something on the way detaches it.", None
            divergence = self._divergence(found, gradient, self._renamed(case, name))
            if divergence is not None:
                said = f"The value is right, but the gradient with respect to {name} is not."
                return f"{said}\n{describe(divergence)}", None
        return None

    def alike(self, one: Observation, other: Observation) -> bool:
        """Whether two observations are the same in all that counts here."""
        if self._divergence(one.value, other.value) is not None:
            return False
        if self.unchanged and one.changed != other.changed:
            return False
        return self._divergence(one.gradients, other.gradients) is None

    def _divergence(self, got: object, expected: object, axes: tuple[str, ...] = ()) -> Divergence | None:
        found = first_divergence(got, expected, axes=axes, tolerance=self.tolerance, exact=self.exact)
        return None if self.form_only and found is not None and found.kind == "values" else found

    def _renamed(self, case: Case, argument: str) -> tuple[str, ...]:
        """The axes of an argument, called as the check calls those of the result."""
        names = dict(zip(case.result_axes(), self.axes, strict=False))
        return tuple(names.get(axis, axis) for axis in case.axes().get(argument, ()))
