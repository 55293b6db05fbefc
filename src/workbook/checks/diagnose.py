"""Names the mistake: runs the known-wrong implementations on the same input and sees which gives the same.

On a small input two mistakes can give the same by chance. So a name must also fit what the learner's code gave in the
comparisons before, and on a stretched copy of the input: more steps, other numbers.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from workbook.boundary.outcomes import Outcome
from workbook.checks.case import Case, Observation
from workbook.checks.shrink import stretched
from workbook.checks.sides import Backend, Side
from workbook.checks.wanted import Wanted
from workbook.content.signatures import Interface
from workbook.errors import WorkbookError
from workbook.pitfalls import Pitfall

REMEMBERED = 24  # comparisons of one grading


class Diagnosis:
    """The pitfalls of one problem, and beside each of them what answers as it does."""

    def __init__(self, pitfalls: tuple[Pitfall, ...], sources: Sequence[Backend], interface: Interface) -> None:
        self.pitfalls = pitfalls
        self.sources = tuple(sources)
        self._interface = interface
        self._seen: deque[tuple[Case, Observation, int]] = deque(maxlen=REMEMBERED)

    def forget(self) -> None:
        """Another submission comes: what was seen of the last one says nothing about it."""
        self._seen.clear()

    def agreed(
        self,
        case: Case,
        got: Observation,
        expected: Observation,
        names: tuple[str, ...],
        wanted: Wanted,
        sides: tuple[Side, Side],
    ) -> None:
        """A comparison came out right. `sides` are those of the learner and of the reference."""
        self.remember(case, got, sides[0].seed)

    def remember(self, case: Case, got: Observation, seed: int) -> None:
        """Keep what the learner's code gave in a comparison, to hold later names against it."""
        if case.entry_point:
            self._seen.append((case, got, seed))

    def name(
        self,
        case: Case,
        got: Observation,
        expected: Observation,
        names: tuple[str, ...],
        wanted: Wanted,
        learner: Side,
    ) -> str | None:
        """The first pitfall that replaces one of `names`, gives what the learner gave and not what is right.

        None where there is none, or where what the learner gave on other inputs contradicts it.
        """
        seed = learner.seed
        found = None
        for pitfall, source in zip(self.pitfalls, self.sources, strict=True):
            if pitfall.replaces in names and self._explains(source, case, got, expected, wanted, seed):
                if self._contradicted(source, case, wanted, learner):
                    continue
                found = pitfall.name
                break
        self.remember(case, got, seed)
        return found

    def for_check(self, check: str) -> str | None:
        """The one pitfall for which this check exists, where output alone cannot tell."""
        names = [pitfall.name for pitfall in self.pitfalls if pitfall.check == check]
        return names[0] if len(names) == 1 else None

    def _explains(
        self, source: Backend, case: Case, got: Observation, expected: Observation, wanted: Wanted, seed: int
    ) -> bool:
        seen = self._run(source, case, seed)
        return seen is not None and wanted.alike(got, seen) and not wanted.alike(seen, expected)

    def _contradicted(self, source: Backend, case: Case, wanted: Wanted, learner: Side) -> bool:
        for earlier, got, seed in self._seen:
            if earlier.target == case.target and earlier.cotangent is None:
                seen = self._run(source, earlier, seed)
                if seen is not None and not Wanted(tolerance=wanted.tolerance).alike(got, seen):
                    return True
        longer = stretched(case)
        if longer is None:
            return False
        seen = self._run(source, longer, learner.seed)
        try:
            return seen is not None and not wanted.alike(longer.run(learner), seen)
        except Outcome:
            return True  # the known mistake does not fail there

    def _run(self, source: Backend, case: Case, seed: int) -> Observation | None:
        """What a pitfall gives, or None where it fails: a known mistake may, and then explains nothing here."""
        try:
            return case.run(Side(source, self._interface, seed))
        except WorkbookError:
            raise
        except Exception:
            return None
