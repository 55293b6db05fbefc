"""The loop of `watch`: a save or a key, a grading, the screen. It never goes on to another exercise by itself."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.text import Text

from workbook.boundary.client import Cancelled
from workbook.content.catalog import Catalog
from workbook.content.layout import folder_of
from workbook.content.problem import Problem
from workbook.errors import WorkbookError
from workbook.grading.engine import Engine
from workbook.grading.grading import Grading, Task
from workbook.grading.session import grade
from workbook.report.terminal import render
from workbook.results import Report
from workbook.text import shown
from workbook.watch.files import Files
from workbook.watch.keys import Bell, Keys
from workbook.watch.screen import HELP, KEYS, Screen, difference, is_interactive
from workbook.workspace import exercise, hints, progress

FILTERS = {"a": "all", "o": "open", "d": "done"}


class Watch:
    """One session of watching. Progress is saved after every grading."""

    def __init__(self, engine: Engine, book: Catalog, start: Problem, screen: Screen, *, poll: bool) -> None:
        self.engine = engine
        self.book = book
        self.current = start
        self.screen = screen
        self.bell = Bell()
        self.keys = Keys(self.bell)
        self.files = Files(book.root / folder_of("exercise"), self._saved, poll=poll)
        self.report: Report | None = None
        self._lock = threading.Lock()
        self._changed: set[Path] = set()
        self._graded: dict[str, str] = {}  # stem -> sha256 of what was graded last
        self._in_work = ""  # sha256 of what is being graded
        self._note = ""
        self._ended = False

    def run(self) -> None:
        """Until q, the end of the input, or Ctrl-C."""
        self.files.start()
        try:
            with self.keys.raw():
                self.grade(self.current)
                while self.turn(self.keys.wait()):
                    pass
        finally:
            self.files.stop()

    def turn(self, key: str) -> bool:
        """Answer one key, or "" for a save or a change of the window; False to quit."""
        if key == "":
            if not self._grade_saved():
                self.show()
            return True
        actions: dict[str, Callable[[], None]] = {
            "q": self.quit,
            "n": self.next,
            "p": self.previous,
            "h": self.hint,
            "s": self.solution,
            "r": lambda: self.grade(self.current),
            "d": self.difference,
            "x": self.reset,
            "l": self.exercises,
            "?": lambda: self.page(HELP.splitlines()),
        }
        action = actions.get(key.lower())
        if action is not None:
            try:
                action()
            except WorkbookError as error:
                self.note(str(error))
        return not self._ended

    # Grading

    def grade(self, problem: Problem) -> None:
        """Grade, again from the start where the file is saved meanwhile, and show the report."""
        self.current = problem
        while True:
            self._take_saved()
            self.screen.begin()
            try:
                task = Task.at(problem)
                self._in_work = task.submission.sha256
                grading = Grading(self.engine, [task], cancelled=self._waiting_save)
                report = grade(grading, progress=self.screen.busy)
            except Cancelled:
                continue
            except WorkbookError as error:
                self.report = None
                self.note(str(error))
                return
            break
        self.screen.done()
        self._graded[problem.stem] = report.problems[0].sha256
        self.report = report
        reached = progress.load(self.book.root, self._remember_note)
        try:
            progress.save(self.book.root, progress.with_report(reached, report))
        except WorkbookError as error:
            self._remember_note(str(error))
        self.show()

    def _grade_saved(self) -> bool:
        """Grade the exercise that was saved; the current one where several were. Whether anything was graded."""
        saved = self._take_saved()
        problems = [problem for problem in self.book.problems if problem.exercise in saved]
        problems = [
            problem for problem in problems if exercise.digest(problem.exercise) != self._graded.get(problem.stem)
        ]
        if not problems:
            return False
        self.grade(self.current if self.current in problems else problems[0])
        return True

    def _saved(self, paths: set[Path]) -> None:
        """Called from the thread that watches the files."""
        with self._lock:
            self._changed |= paths
        self.bell.ring()

    def _take_saved(self) -> set[Path]:
        with self._lock:
            saved, self._changed = self._changed, set()
        return saved

    def _waiting_save(self) -> bool:
        """Whether the exercise being graded was saved with other content: then its grading is out of date."""
        with self._lock:
            waiting = self.current.exercise in self._changed
        return waiting and exercise.digest(self.current.exercise) != self._in_work

    # What keys do

    def quit(self) -> None:
        self._ended = True

    def next(self) -> None:
        if not self.passed():
            self.note("This exercise has not passed yet: n goes on after it has.")
            return
        self._step(1, "This is the last exercise.")

    def previous(self) -> None:
        self._step(-1, "This is the first exercise.")

    def _step(self, by: int, otherwise: str) -> None:
        place = self.book.problems.index(self.current) + by
        if 0 <= place < len(self.book.problems):
            self.grade(self.book.problems[place])
        else:
            self.note(otherwise)

    def hint(self) -> None:
        number, text = hints.next_hint(self.book, self.current, self._remember_note)
        self.page([f"Hint {number} of {len(self.current.hints)}: {text}"])

    def solution(self) -> None:
        if not self.passed():
            self.note("The solution is shown after a pass, to compare with yours.")
            return
        self.page(exercise.solution_text(self.current).splitlines())

    def difference(self) -> None:
        mine = (
            self.current.exercise.read_text(encoding="utf-8", errors="replace")
            if self.current.exercise.is_file()
            else ""
        )
        found = difference(self.current.pristine.read_text(encoding="utf-8"), mine)
        self.page(found or ["Your file is the stub, as it was released."])

    def reset(self) -> None:
        question = (
            f"Put the stub of {self.current.exercise.name} back? Your file is kept. y yes, q quit, any other key no"
        )
        self.page([question])
        while (key := self.keys.wait().lower()) == "":  # a save, or another size of the window
            if self._grade_saved():
                return
            self.page([question])
        if key != "y":
            self.note("Nothing was changed.")
            if key == "q":
                self.quit()
            return
        kept = exercise.reset(self.current)
        self._remember_note(f"The stub is back; your file is kept as {shown(kept)}." if kept else "It was the stub.")
        self.grade(self.current)

    def exercises(self) -> None:
        """The exercises, all or by state, until another key is pressed."""
        chosen = "a"
        while chosen in FILTERS:
            reached = progress.load(self.book.root, self._remember_note)
            rows = []
            for problem in self.book.problems:
                entry = reached.entry(problem.number)
                done = entry.verdict == "passed"
                if chosen == "a" or done == (chosen == "d"):
                    mark = ">" if problem == self.current else " "
                    rows.append(f"{mark} {problem.number:>2}  {problem.title}: {exercise.state(problem, entry)}")
            names = "  ".join(f"{key} {name}" for key, name in FILTERS.items())
            self.page([*(rows or ["None."]), f"Keys: {names}  any other key goes back"])
            chosen = self.keys.wait().lower()
        if chosen == "" or (chosen in KEYS and chosen != "l"):
            self.turn(chosen)
        else:
            self.show()

    # The screen

    def passed(self) -> bool:
        return self.report is not None and self.report.problems[0].verdict == "passed"

    def show(self) -> None:
        """The last report and the footer, in the present width of the window."""
        self.screen.clear()
        if self.report is not None:
            stuck = "Stuck? Press h." if is_interactive() else ""
            self.screen.lines(render(self.report, width=self.screen.width, stuck=stuck))
        self._footer()

    def page(self, lines: Sequence[str | Text]) -> None:
        """Some lines in place of the report; a save or r brings it back."""
        self.screen.clear()
        for line in lines:
            if isinstance(line, Text):
                self.screen.lines([line])
            else:
                self.screen.say(line)
        self.screen.say("")
        self._footer()

    def note(self, text: str) -> None:
        """The report again, with a sentence above the keys."""
        self._remember_note(text)
        self.show()

    def _remember_note(self, text: str) -> None:
        self._note = text

    def _footer(self) -> None:
        reached = progress.load(self.book.root, self._remember_note)
        passed = sum(reached.entry(problem.number).verdict == "passed" for problem in self.book.problems)
        note, self._note = self._note, ""
        keys = [key for key in "nphsrdxl?q" if key not in "ns" or self.passed()] if is_interactive() else []
        self.screen.footer(passed, len(self.book.problems), shown(self.current.exercise), keys, note)
