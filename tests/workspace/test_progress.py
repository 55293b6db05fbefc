"""The progress file: written whole, readable, merged the same both ways."""

from __future__ import annotations

import json
import shutil

import pytest
from helpers.workbooks import PROBLEMS, workbook
from hypothesis import given
from hypothesis import strategies as st

from workbook.workspace import progress
from workbook.workspace.progress import Entry, Progress, merge

ENTRIES = st.builds(
    Entry,
    verdict=st.sampled_from(["passed", "failed", "error", "not_started"]),
    score=st.integers(0, 20),
    max_score=st.just(20),
    sha256=st.text("0123456789abcdef", max_size=4),
    graded=st.sampled_from(["", "2026-01-01T00:00:00+00:00", "2026-01-02T00:00:00+00:00"]),
    hints=st.integers(0, 5),
)
PROGRESS = st.dictionaries(st.integers(1, 5), ENTRIES).map(Progress)


@given(PROGRESS, PROGRESS)
def test_merged_both_ways_gives_the_same(one, other):
    merged = progress.merge(one, other)
    assert merged == progress.merge(other, one)
    assert progress.merge(merged, one) == merged


def test_the_newer_verdict_is_kept_and_no_hint_forgotten():
    old = Progress({1: Entry("passed", 20, 20, "a", "2026-01-01T00:00:00+00:00", 4)})
    new = Progress({1: Entry("failed", 3, 20, "b", "2026-01-02T00:00:00+00:00", 1), 2: Entry(hints=2)})
    merged = progress.merge(old, new)
    assert merged.entry(1) == Entry("failed", 3, 20, "b", "2026-01-02T00:00:00+00:00", 4)
    assert merged.entry(2).hints == 2


@given(PROGRESS)
def test_saved_and_loaded_is_the_same(tmp_path_factory, reached):
    root = tmp_path_factory.mktemp("root")
    progress.save(root, reached)
    assert progress.load(root, pytest.fail) == reached


def test_a_stub_graded_later_takes_no_pass_away():
    passed = Progress({1: Entry("passed", 21, 21, "a" * 64, "2026-01-01T10:00:00+00:00", 1)})
    stub = Progress({1: Entry("not_started", 0, 21, "b" * 64, "2026-01-02T10:00:00+00:00", 0)})
    assert merge(passed, stub) == merge(stub, passed) == passed
    failed = Progress({1: Entry("failed", 3, 21, "c" * 64, "2026-01-03T10:00:00+00:00", 0)})
    assert merge(passed, failed).entry(1).verdict == "failed"


def test_a_second_damaged_file_does_not_replace_the_first(copy):
    folder = copy / ".workbook"
    folder.mkdir()
    for number in (1, 2):
        (folder / "progress.json").write_text(f"damage {number}", encoding="utf-8")
        workbook(cwd=copy, code=0)
    assert sorted(path.read_text(encoding="utf-8") for path in folder.glob("*damaged*")) == ["damage 1", "damage 2"]


def test_two_machines(copy, tmp_path):
    scan = copy / "exercises" / f"{PROBLEMS[0].stem}.py"
    file = copy / ".workbook" / "progress.json"
    shutil.copy(PROBLEMS[0].solution, scan)
    workbook("grade", "1", cwd=copy, code=0)
    shutil.copy(file, tmp_path / "other.json")
    data = json.loads(file.read_text(encoding="utf-8"))
    assert data["version"] == 1
    assert data["problems"]["1"]["verdict"] == "passed"
    file.unlink()
    workbook("grade", "12", cwd=copy, code=1)
    shown = workbook("progress", "merge", tmp_path / "other.json", cwd=copy, code=0).out
    assert "passed" in shown
    assert set(json.loads(file.read_text(encoding="utf-8"))["problems"]) == {"1", "12"}


IMPOSSIBLE = '{"version": 1, "problems": {"1": {"verdict": "passed", "score": 999, "max_score": 20, "graded": ""}}}'


@pytest.mark.parametrize("text", [None, "{", "{}", "[]", '{"version": 2, "problems": {}}', IMPOSSIBLE])
def test_a_file_that_is_no_progress_is_refused(copy, tmp_path, text):
    other = tmp_path / "other.json"
    if text is not None:
        other.write_text(text, encoding="utf-8")
    done = workbook("progress", "merge", other, cwd=copy, code=2)
    assert "other.json" in done.err
    assert len(done.err.strip().splitlines()) == 1
    assert not (copy / ".workbook").exists()
