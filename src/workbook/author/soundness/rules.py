"""The rules that a sound problem keeps. Each yields what breaks it: the file, and what to do."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from workbook.answers.local import Local
from workbook.author.build import arrays, built_files, notebooks
from workbook.author.soundness.distortions import MAY_FAIL, MUST_FAIL, distorted
from workbook.author.soundness.leftovers import leftovers
from workbook.author.soundness.numbers import stale_numbers
from workbook.author.trial import Only, Shuffled, Trial, fails, name_of, names
from workbook.content import catalog, layout
from workbook.content.hints import hint_text
from workbook.content.problem import Problem
from workbook.content.reading import read
from workbook.content.regions import regions
from workbook.content.signatures import Interface, read_interface
from workbook.results import ProblemResult

SEEDS = (1, 2, 3)
MARGIN = 5
MEASUREMENTS = 3
FEWEST_HINTS = 3
FEWEST_PITFALLS = 1


@dataclass(frozen=True)
class Rule:
    """One rule: the sentence that holds for a sound problem, and what finds the faults."""

    says: str
    faults: Callable[[Trial], Iterator[str]]


def same_signatures(trial: Trial) -> Iterator[str]:
    problem, stub = trial.problem, trial.content.interface
    solution = read_interface(trial.source)
    for name in problem.entry_points:
        wanted = stub.signature(name)
        if wanted is None:
            yield f"{problem.relative(problem.exercise)}: it does not define {name}, which the TOML file names."
        elif solution.signature(name) != wanted:
            yield f"{problem.relative(problem.solution)}: {name} differs from the stub's: run `workbook build`."
    for pitfall in trial.content.diagnosis.pitfalls:
        where = f"{problem.relative(problem.pitfalls)}: {pitfall.slug}"
        replaced = solution.signature(pitfall.replaces)
        if pitfall.replaces not in {*solution.functions, *solution.classes}:
            yield f"{where} replaces {pitfall.replaces}, which the solution does not define."
        elif pitfall.check is not None and pitfall.check not in trial.checks():
            yield f"{where} names the check {pitfall.check}, which the grader does not have."
        elif replaced is not None and pitfall.replaces in solution.functions:
            own = read_interface(pitfall.source).functions.get(pitfall.slug)
            if own is None or own.parameters != replaced.parameters or own.defaults != replaced.defaults:
                yield f"{where} does not take the parameters of {pitfall.replaces}: {replaced.text()}."


def stub_is_not_started(trial: Trial) -> Iterator[str]:
    result = trial.grade(read(trial.problem, trial.problem.pristine), "the stub")
    for check in result.checks:
        if check.verdict != "not_started":
            yield f"{trial.problem.relative(trial.problem.grader)}: {name_of(check.id)} is {check.verdict} for the stub."


def solution_passes(trial: Trial) -> Iterator[str]:
    yield from _not_passed(trial, trial.solution(), "")
    for seed in SEEDS:
        result = trial.grade(trial.source, "the solution", seed=seed, plugins=[Shuffled(seed)])
        yield from _not_passed(trial, result, f", with seed {seed} and in another order")


def pitfalls_are_named(trial: Trial) -> Iterator[str]:
    pitfalls = trial.content.diagnosis.pitfalls
    where = trial.problem.relative(trial.problem.pitfalls)
    if len(pitfalls) < FEWEST_PITFALLS:
        yield f"{where}: no pitfall: declare the commonest mistake with @pitfall."
    for pitfall in pitfalls:
        result = trial.quick_first(pitfall.source, f"the pitfall {pitfall.slug}", until=names(pitfall.name))
        if result.verdict != "failed":
            yield f"{where}: {pitfall.slug} is {result.verdict}: add the check that it fails."
        elif pitfall.name not in {check.pitfall for check in result.checks}:
            others = sorted({check.pitfall for check in result.checks if check.pitfall}) or ["nothing"]
            yield f"{where}: {pitfall.slug} fails but is not named (named: {'; '.join(others)})."


def worthless_answers_fail(trial: Trial) -> Iterator[str]:
    for name, expression in MUST_FAIL.items():
        for target, source in distorted(trial.problem, trial.content.interface, trial.source, expression):
            result = trial.quick_first(source, f"{target} that returns {name}", until=fails)
            if result.verdict != "failed":
                yield (
                    f"{trial.problem.relative(trial.problem.grader)}: {target} may return {name} (it is {result.verdict}): "
                    "compare its values with agree."
                )


def every_check_can_fail(trial: Trial) -> Iterator[str]:
    for name, expression in {**MUST_FAIL, **MAY_FAIL}.items():
        for target, source in distorted(trial.problem, trial.content.interface, trial.source, expression):
            open_checks = [check for check in trial.checks() if check not in trial.failing]
            if not open_checks:
                return
            trial.grade(source, f"{target} with {name}", plugins=[Only(open_checks)])
    for check in trial.checks():
        if check not in trial.failing:
            yield f"{trial.problem.relative(trial.problem.grader)}: nothing fails {check}: add the pitfall it is for, or drop it."


def numbers_are_recomputed(trial: Trial) -> Iterator[str]:
    yield from stale_numbers(trial)


def hints_help(trial: Trial) -> Iterator[str]:
    problem, where = trial.problem, trial.problem.relative(trial.problem.settings)
    if len(problem.hints) < FEWEST_HINTS:
        yield f"{where}: {len(problem.hints)} hints; give {FEWEST_HINTS} or more, each one step further."
    if len(set(problem.hints)) < len(problem.hints):
        yield f"{where}: a hint stands there twice."
    hidden = _solution_statements(trial)
    for number in range(1, len(problem.hints) + 1):
        text = _squeezed(hint_text(problem, number))
        for region in hidden:
            shown = [line for line in region if line in text]
            if len(region) > 2 and len(shown) > len(region) / 2:
                yield f"{where}: hint {number} gives most of a solution away: {'; '.join(shown)}."
    marks = re.findall(r"mark\.hint\((\d+)\)", read(problem, problem.grader))
    for number in sorted({int(mark) for mark in marks}):
        if number > len(problem.hints):
            yield f"{problem.relative(problem.grader)}: a check points to hint {number}; there are {len(problem.hints)}."


def limits_leave_room(trial: Trial) -> Iterator[str]:
    limits, where = trial.problem.limits, trial.problem.relative(trial.problem.settings)
    used = _used(trial)
    for _ in range(MEASUREMENTS - 1):
        if all(used[name] * MARGIN <= getattr(limits, name) for name in used):
            return
        again = _used(trial)  # a busy moment of the machine is no fault of the problem
        used = {name: min(value, again[name]) for name, value in used.items()}
    for name, value in used.items():
        limit = getattr(limits, name)
        if value * MARGIN > limit:
            yield f"{where}: the solution uses {value:.3g} of {name} = {limit:g}: allow {MARGIN} times as much."


def _used(trial: Trial) -> dict[str, float]:
    """What the solution uses of each limit, in seconds of the reference machine and in MB."""
    trial.grade(trial.source, "the solution")
    usage, slowness = trial.usage, trial.engine.start().slowness
    return {
        "call_seconds": usage.longest_call / slowness,
        "total_seconds": usage.seconds / slowness,
        "memory_mb": usage.memory_mb,
    }


def built_files_are_fresh(trial: Trial) -> Iterator[str]:
    if built_files.edited(trial.problem):
        yield f"{trial.problem.relative(trial.problem.exercise)}: it is not the released stub: `workbook reset {trial.problem.number}`."
    for built in built_files.stubs(trial.problem):
        if built.stale:
            yield f"{built.path.relative_to(trial.problem.root)} is stale: run `workbook build`."


def nothing_is_left_of_the_template(trial: Trial) -> Iterator[str]:
    yield from leftovers(trial.problem)


def lesson_is_whole(trial: Trial) -> Iterator[str]:
    problem = trial.problem
    found = list(notebooks.faults(problem))
    yield from found
    if found:
        return
    if arrays.stale(problem):
        yield f"{problem.relative(problem.recorded)} is stale: run `workbook build`."
    elif notebooks.notebook(catalog.load(problem.root), problem).stale:
        yield f"{problem.relative(problem.notebook)} is stale: run `workbook build`."


def references_ask_nothing_of_the_learner(trial: Trial) -> Iterator[str]:
    """No input of a reference call depends on a learner's value.

    The learner's numbers are moved by less than any tolerance; a question to the reference that moves with them is one
    that was made from them.
    """
    reference = trial.content.reference
    assert isinstance(reference, Local)
    asked = []
    for source in (trial.source, nudged(trial.problem, trial.content.interface, trial.source)):
        reference.asked = questions = set[bytes]()
        try:
            result = trial.grade(source, "the solution, nudged")
        finally:
            reference.asked = None
        asked.append((questions, result))
    (first, _), (second, result) = asked
    extra = second - first
    passed = sum(check.verdict == "passed" for check in result.checks)
    if extra and passed:
        yield (
            f"{trial.problem.relative(trial.problem.grader)}: {len(extra)} calls of the reference got an input that was made from "
            "a learner's value: make it from rng or from the reference."
        )


def nudged(problem: Problem, interface: Interface, source: str) -> str:
    """The solution with the float results of every entry point moved by a part in 10^14."""
    expression = "value * (1 + 1e-14) if _floating(value) else value"
    made = distorted(problem, interface, source, expression)
    replaced = "".join(f"{target} = _distorted({target})\n" for target, _ in made[:-1])
    return made[-1][1] + replaced


RULES = (
    Rule("stub, solution and pitfalls have the same signatures", same_signatures),
    Rule("every check finds the stub not started", stub_is_not_started),
    Rule("the solution passes, with three seeds and in another order", solution_passes),
    Rule("each pitfall fails and is named", pitfalls_are_named),
    Rule("constants, zeros, NaN and the first argument fail", worthless_answers_fail),
    Rule("each check fails for something", every_check_can_fail),
    Rule("every number shown is what the reference gives", numbers_are_recomputed),
    Rule("hints exist, in order, and do not contain the solution", hints_help),
    Rule("the solution needs at most a fifth of the limits", limits_leave_room),
    Rule("built files are fresh", built_files_are_fresh),
    Rule("nothing is left of the template of `workbook new`", nothing_is_left_of_the_template),
    Rule("the lesson has its source, recorded arrays and notebook, fresh and without output", lesson_is_whole),
    Rule("no input of a reference call depends on a learner's value", references_ask_nothing_of_the_learner),
)


def _not_passed(trial: Trial, result: ProblemResult, how: str) -> Iterator[str]:
    where = trial.problem.relative(trial.problem.grader)
    if result.message:
        yield f"{where}: {result.message}"
    for check in result.checks:
        if check.verdict != "passed":
            first = check.message.splitlines()[0] if check.message else ""
            yield f"{where}: {name_of(check.id)} is {check.verdict} for the solution{how}: {first}"


def _solution_statements(trial: Trial) -> list[list[str]]:
    """The lines of each solution region that say something, without white space."""
    return [
        [_squeezed(line) for line in region.lines if len(_squeezed(line)) > 8 and not line.lstrip().startswith("#")]
        for region in regions(trial.source, trial.problem.relative(trial.problem.solution))
    ]


def _squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def workbook_faults(book: catalog.Catalog) -> Iterator[tuple[str, list[str]]]:
    """The rules about all problems together: (rule, faults)."""
    yield "every TOML file gives a problem", sorted(set(book.broken.values()))
    yield "prerequisites lead from one problem to the next, without a circle", list(_prerequisite_faults(book))
    yield "no stray files", list(_stray_files(book))


def _prerequisite_faults(book: catalog.Catalog) -> Iterator[str]:
    known = {problem.number: problem for problem in book.problems}
    for problem in book.problems:
        for number in problem.prerequisites:
            if number not in known:
                yield f"{problem.relative(problem.settings)}: prerequisite {number} is no problem of this workbook."
    for problem in book.problems:
        seen: set[int] = set()
        todo = list(problem.prerequisites)
        while todo:
            number = todo.pop()
            if number == problem.number:
                yield f"{problem.relative(problem.settings)}: its prerequisites lead back to it."
                break
            if number in known and number not in seen:
                seen.add(number)
                todo += known[number].prerequisites


def _stray_files(book: catalog.Catalog) -> Iterator[str]:
    stems = [problem.stem for problem in book.problems] + [*book.broken]
    allowed = {name for stem in stems for name in (*layout.sources(stem), *layout.built(stem))} | {
        "notebooks/ruff.toml"
    }
    for folder in layout.FOLDERS:
        for path in sorted((book.root / folder).glob("*")):
            name = f"{folder}/{path.name}"
            if path.is_file() and name not in allowed:
                yield f"{name} belongs to no problem: rename or remove it."
