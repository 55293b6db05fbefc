"""Names the mistake: runs the known-wrong implementations on the same input and sees which gives the same."""

from __future__ import annotations

from workbook.compare import first_divergence
from workbook.errors import WorkbookError
from workbook.grader.case import Case, Observation
from workbook.grader.local import Answers, Local
from workbook.grader.sides import Side
from workbook.model import Problem
from workbook.pitfalls import Pitfall
from workbook.signatures import Interface


class Diagnosis:
    """The pitfalls of one problem, each loaded when first asked."""

    def __init__(self, problem: Problem, pitfalls: tuple[Pitfall, ...], interface: Interface, answers: Answers) -> None:
        self.pitfalls = pitfalls
        self._interface = interface
        self._locals = [Local(problem, problem.pitfalls, pitfall.source, answers) for pitfall in pitfalls]

    def name(
        self,
        case: Case,
        got: Observation,
        expected: Observation,
        names: tuple[str, ...],
        seed: int,
        tolerance: float | None,
    ) -> str | None:
        """The first pitfall that replaces one of `names`, gives what the learner gave, and differs from the reference."""
        for pitfall, local in zip(self.pitfalls, self._locals, strict=True):
            if pitfall.replaces not in names:
                continue
            try:
                seen = case.run(Side(local, self._interface, seed))
            except WorkbookError:
                raise
            except Exception:
                continue  # a known mistake may fail on some inputs; then it explains nothing here
            if same_observation(got, seen, tolerance) and not same_observation(seen, expected, tolerance):
                return pitfall.name
        return None

    def for_check(self, check: str) -> str | None:
        """The one pitfall for which this check exists, where output alone cannot tell."""
        names = [pitfall.name for pitfall in self.pitfalls if pitfall.check == check]
        return names[0] if len(names) == 1 else None


def same_observation(one: Observation, other: Observation, tolerance: float | None) -> bool:
    return (
        first_divergence(one.value, other.value, tolerance=tolerance) is None
        and one.changed == other.changed
        and first_divergence(one.gradients, other.gradients, tolerance=tolerance) is None
    )
