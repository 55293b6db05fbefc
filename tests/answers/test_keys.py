"""Answer keys that are damaged, of another version or for other files: ungraded with one clear line, never a verdict."""

from __future__ import annotations

import hashlib
import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from helpers.grading import result_of
from helpers.workbooks import PROBLEMS, ROOT, workbook
from safetensors.numpy import save_file

from workbook.answers import key as keys
from workbook.answers.key import read_key
from workbook.answers.keyed import REFERENCE, Keyed, KeyedDraws, KnownFailure, NotInKey
from workbook.answers.questions import Questions
from workbook.content import catalog
from workbook.errors import BrokenWorkbook
from workbook.grading.engine import Engine
from workbook.wire.codec import Handle, encode

SCAN, LAB = PROBLEMS[0], PROBLEMS[-1]
NAME = f"keys/{SCAN.stem}.key"


@pytest.fixture(scope="module")
def scan(released: Path) -> keys.Key:
    return read_key(catalog.load(released).problem(SCAN.number))


def ungraded(folder: Path, *says: str, number: int = SCAN.number) -> None:
    """Grading this problem gives one line, exit code 3 and no score, and the others are graded as before."""
    done = workbook("grade", str(number), "--json", cwd=folder, code=3)
    (problem,) = json.loads(done.out)["problems"]
    assert (problem["verdict"], problem["score"], problem["checks"]) == ("ungraded", None, [])
    assert "\n" not in problem["message"]
    for words in says:
        assert words in problem["message"]


def test_a_missing_key(learners):
    (learners / NAME).unlink()
    ungraded(learners, f"{NAME} is missing: get it back with `workbook update`, or unpack the release again.")
    shutil.rmtree(learners / "keys")
    ungraded(learners, f"{NAME} is missing: ")
    assert f"broken   {NAME} is missing" in workbook("doctor", cwd=learners, code=3).out


def test_a_key_that_is_a_folder(learners):
    (learners / NAME).unlink()
    (learners / NAME).mkdir()
    ungraded(learners, NAME)


@pytest.mark.parametrize("size", [0, 1, 8, 9, 100, 20_000, -1])
def test_a_truncated_key(size, learners):
    path = learners / NAME
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(BrokenWorkbook, match="is damaged: get it back with `workbook update`"):
        read_key(catalog.load(learners).problem(SCAN.number))


def test_a_damaged_key_is_ungraded_by_the_command(learners):
    path = learners / NAME
    data = bytearray(path.read_bytes())
    data[-1000] ^= 1  # the last bits of one answer: nothing but the checksum can tell
    path.write_bytes(data)
    ungraded(learners, f"{NAME} is damaged: get it back with `workbook update`, or unpack the release again.")
    shutil.copy(PROBLEMS[2].solution, learners / "exercises" / PROBLEMS[2].exercise.name)
    workbook("grade", "12", cwd=learners, code=0)


def test_any_flipped_bit_is_found(learners):
    path, problem = learners / NAME, catalog.load(learners).problem(SCAN.number)
    data, dice = path.read_bytes(), random.Random(5)
    places = [*range(90), *(dice.randrange(len(data)) for _ in range(40))]
    for place in places:
        damaged = bytearray(data)
        damaged[place] ^= 1 << dice.randrange(8)
        path.write_bytes(damaged)
        with pytest.raises(BrokenWorkbook):
            read_key(problem)
    path.write_bytes(data)
    assert read_key(problem).answers


def test_a_key_of_another_version(learners):
    path = learners / NAME
    path.write_bytes(path.read_bytes().replace(b"workbook_key 2 ", b"workbook_key 13 ", 1))
    ungraded(
        learners,
        f"{NAME} is an answer key of version 13, and this workbook reads version 2: run `workbook update` with a release",
    )


def test_a_key_of_the_first_version_which_was_a_safetensors_file(learners):
    save_file({"float64": np.zeros(3)}, learners / NAME, {"workbook_key": f"1 {'0a' * 32}\n{{}}"})
    ungraded(learners, f"{NAME} is an answer key of version 1, and this workbook reads version 2: ")


def test_a_file_that_is_no_key(learners):
    save_file({"float64": np.zeros(3)}, learners / NAME)
    ungraded(learners, f"{NAME} is damaged")


def test_a_message_that_is_none_is_damaged_though_its_checksum_is_right(learners):
    message = b"\1\xc1"
    (learners / NAME).write_bytes(f"workbook_key 2 {hashlib.sha256(message).hexdigest()}\n".encode() + message)
    with pytest.raises(BrokenWorkbook, match="is damaged: get it back"):
        read_key(catalog.load(learners).problem(SCAN.number))


def test_the_key_of_another_problem(learners):
    shutil.copy(learners / "keys" / f"{PROBLEMS[2].stem}.key", learners / NAME)
    ungraded(learners, f"{NAME} is the answer key of another problem ({PROBLEMS[2].stem})")


@pytest.mark.parametrize(
    ("name", "number"),
    [
        (f"graders/test_{SCAN.stem}.py", SCAN.number),
        (f"exercises/{SCAN.stem}.toml", SCAN.number),
        (f"exercises/.pristine/{SCAN.stem}.py", SCAN.number),
        (f"graders/support/{LAB.stem}.py", LAB.number),
    ],
)
def test_a_file_edited_after_the_release(name, number, learners):
    with open(learners / name, "a", encoding="utf-8") as file:
        file.write("\n# a change\n")
    ungraded(
        learners,
        f"{name} is not the file that the answer key keys/",
        "was recorded for: get it back with `workbook update`, or unpack the release again.",
        number=number,
    )


def test_support_that_is_missing(learners):
    (learners / "graders" / "support" / f"{LAB.stem}.py").unlink()
    ungraded(learners, f"graders/support/{LAB.stem}.py is missing, a file that the answer key", number=LAB.number)


def test_a_grader_edited_while_an_engine_is_warm(learners):
    """As in `workbook watch`: what was read before does not count any more."""
    engine = Engine(catalog.load(learners))
    problem = engine.catalog.problem(SCAN.number)
    try:
        assert result_of(engine, problem, SCAN.solution).verdict == "passed"
        with open(problem.grader, "a", encoding="utf-8") as file:
            file.write("\n# a change\n")
        assert result_of(engine, problem, SCAN.solution).verdict == "ungraded"
    finally:
        engine.close()


# What a key does not hold


@pytest.fixture
def engine_without(learners: Path) -> Iterator:
    """An engine of a release, from whose keys the questions that fit a condition are taken away."""
    engine = Engine(catalog.load(learners))
    problem = engine.catalog.problem(SCAN.number)

    key = read_key(problem)
    yield lambda gone: _with_key(engine, problem, key, gone)
    engine.close()


def _with_key(engine: Engine, problem, key: keys.Key, gone) -> Engine:
    from dataclasses import replace

    left = {question: answer for question, answer in key.answers.items() if not gone(question)}
    less = replace(key, answers=left)
    content = engine.content(problem)
    diagnosis = type(content.diagnosis)(
        content.diagnosis.pitfalls,
        [Keyed(less, source._source) for source in content.diagnosis.sources],
        content.interface,
    )
    engine.use(problem, replace(content, reference=Keyed(less, REFERENCE), diagnosis=diagnosis))
    return engine


def test_an_answer_of_the_reference_that_is_lacking_is_ungraded(engine_without):
    engine = engine_without(lambda question: True)
    result = result_of(engine, engine.catalog.problem(SCAN.number), SCAN.solution)
    assert (result.verdict, result.score) == ("ungraded", None)
    lacking = [check for check in result.checks if check.verdict == "ungraded"]
    assert len(lacking) >= 12
    for check in lacking:
        assert check.message.startswith("The answer key holds no answer to this call of sequential_scan: tell your")
        assert "\n" not in check.message
    assert {check.verdict for check in result.checks} == {"ungraded", "passed"}  # some ask the learner only


def test_help_that_is_lacking_is_said_and_changes_no_verdict(engine_without, scan):
    first = Keyed(scan, REFERENCE)
    asked: set[bytes] = set()

    class Spy(Questions):
        def name(self, op, fields):
            asked.add(super().name(op, fields))
            return super().name(op, fields)

    engine = engine_without(lambda question: False)
    problem = engine.catalog.problem(SCAN.number)
    content = engine.content(problem)
    content.reference._questions = Spy(REFERENCE)
    content.reference.session = lambda: content.reference
    assert result_of(engine, problem, SCAN.solution).verdict == "passed"
    assert first._key.answers.keys() >= asked

    engine = engine_without(lambda question: question not in asked)  # the answers to right submissions are left
    result = result_of(engine, problem, ROOT / "docs" / "examples" / SCAN.stem / "values.py")
    assert (result.verdict, result.score) == ("failed", 8)
    wrong = next(check for check in result.checks if check.id.endswith("test_second_hand_example"))
    assert "expected 11, got 1" in wrong.message
    assert "More could not be said: The answer key holds no answer" in wrong.message


def test_random_data_is_replayed_in_order_and_no_other_is_made_up(scan):
    check = "test_many_rows_and_channels"
    values = KeyedDraws(scan, check)
    a = values.uniform(0.9, 1, size=(2, 13, 3))
    assert a.shape == (2, 13, 3)
    assert bool((a >= 0.9).all())
    with pytest.raises(NotInKey, match=f"no such random data for {check}"):
        values.normal(size=(3, 3))
    with pytest.raises(NotInKey):
        KeyedDraws(scan, "test_of_another_name").normal(size=3)


def test_a_known_mistake_that_raised_raises_again():
    key = keys.Key(0, 0, (), {}, {Questions("x").name("call", {"args": [1]}): encode(None)})
    with pytest.raises(KnownFailure):
        Keyed(key, "x").request("call", args=[1])


# Questions


def test_a_question_is_named_by_its_values_not_by_the_order_of_memory():
    def name(value):
        return Questions("reference").name("call", {"target": ["name", "f"], "args": [value]})

    tensor = torch.arange(6.0).reshape(2, 3)
    assert name(tensor) == name(tensor.T.contiguous().T)
    assert name(tensor.numpy()) == name(np.asfortranarray(tensor.numpy()))
    others = [
        tensor + 1e-7, tensor.double(), tensor.reshape(3, 2), tensor.numpy(), tensor.clone().requires_grad_(),
        tensor.to("meta"), [tensor], None,
    ]  # fmt: skip
    assert len({name(value) for value in (tensor, *others)}) == len(others) + 1
    assert Questions("pitfall 0").name("call", {"args": [1]}) != Questions("reference").name("call", {"args": [1]})


def test_what_objects_are_asked_is_named_by_all_that_came_before():
    def asked(*factors: float) -> list[bytes]:
        questions, names = Questions("reference"), []
        names.append(questions.name("put", {"value": torch.ones(2), "requires_grad": False}))
        questions.met(Handle(70 + len(factors)))  # its number in the process makes no difference
        handle = Handle(70 + len(factors))
        for factor in factors:
            names.append(questions.name("call", {"target": ["object", handle, "mul_"], "args": [factor], "keep": True}))
        return [*names, questions.name("get", {"handle": handle})]

    assert asked(2.0)[:2] == asked(2.0, 3.0)[:2]
    assert asked(2.0)[-1] != asked(2.0, 3.0)[-1]
    assert asked()[-1] != asked(2.0)[-1]
    assert asked(2.0) == asked(2.0)


# Values


def test_equal_values_are_kept_once():
    values = keys.Values()
    placed = [values.place(value) for value in (torch.arange(9.0), 1, torch.arange(9.0), 1.0, 1, torch.arange(9))]
    assert placed == [0, 1, 0, 2, 1, 3]
    assert len(values.places) == 4
