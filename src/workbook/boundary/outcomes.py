"""How a check ends other than well. The plugin turns each into a verdict; anything else raised is the grader's fault."""

from __future__ import annotations

from workbook.results import Verdict


class Outcome(Exception):
    """A check that did not pass, in the words the learner reads."""

    def __init__(self, verdict: Verdict, message: str, pitfall: str | None = None) -> None:
        super().__init__(message)
        self.verdict = verdict
        self.message = message
        self.pitfall = pitfall


class WrongAnswer(Outcome):
    """The learner's value is not the expected one; of the wrong `form`, where not even type, dtype and shape are."""

    def __init__(self, message: str, pitfall: str | None = None, *, form: bool = False) -> None:
        super().__init__("failed", message, pitfall)
        self.form = form


class LearnerFault(Outcome):
    """The learner's code did not return a value: an exception, a deadline, too much memory, a death."""
