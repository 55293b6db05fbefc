"""compare.first_divergence: each stage by a table of cases, their order, and two properties that hold for any tree."""

from __future__ import annotations

import copy
import math
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from workbook.compare.description import describe
from workbook.compare.divergence import Divergence, first_divergence
from workbook.text import wrap

NAN, INF = float("nan"), float("inf")
BTC = ("batch", "time", "channel")


class Unknown:
    """Any type that compare does not know."""


class Handle:
    """Like the wire's handle, which names the type of the object that it stands for."""

    def __init__(self, type_name: str) -> None:
        self.type_name = type_name


def found(got: Any, expected: Any, **rules: Any) -> Divergence:
    divergence = first_divergence(got, expected, **rules)
    assert divergence is not None
    return divergence


def test_imports_neither_torch_nor_numpy():
    program = "import sys, workbook.compare.divergence; print({'torch', 'numpy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


# Structure


@pytest.mark.parametrize(
    ("got", "expected", "names"),
    [
        ([1.0], torch.ones(1), ("a torch tensor", "a list")),
        (np.ones(1), torch.ones(1), ("a torch tensor", "a NumPy array")),
        (torch.ones(1), np.ones(1), ("a NumPy array", "a torch tensor")),
        (torch.tensor(1.0), 1.0, ("a number", "a torch tensor")),
        ((1.0,), [1.0], ("a list", "a tuple")),
        ([1.0], (1.0,), ("a tuple", "a list")),
        ({}, [], ("a list", "a dict")),
        (True, 1.0, ("a number", "a bool (True or False)")),
        (True, 1, ("a whole number", "a bool (True or False)")),
        (1, True, ("a bool (True or False)", "a whole number")),
        (2.0, 2, ("a whole number", "a number with a decimal point")),
        (2.0, 2j, ("a complex number", "a number")),
        (2, 2j, ("a complex number", "a whole number")),
        (2j, 2.0, ("a number", "a complex number")),
        ("2", b"2", ("a bytes string", "a string")),
        (0.0, None, ("nothing (None)", "a number")),
        (Unknown(), 1.0, ("a number", "an object of type Unknown")),
        (Unknown(), Unknown(), ("an object of type Unknown", "an object of type Unknown")),
        (Handle("Layer"), 1.0, ("a number", "an object of type Layer")),
        (Handle("\x1b[2J"), 1.0, ("a number", "an object of type Handle")),
        (np.float64(1), 1.0, ("a number", "an object of type float64")),
        (torch.nn.Parameter(torch.ones(1)), torch.ones(1), ("a torch tensor", "an object of type Parameter")),
    ],
)
def test_wrong_type(got, expected, names):
    assert first_divergence(got, expected) == Divergence("type", expected=names[0], got=names[1])


def test_none_at_the_top_asks_for_the_return():
    assert first_divergence(None, 1.0) == Divergence(
        "type", expected="a number", got="nothing (None)", cause="is the return missing?"
    )
    assert first_divergence([None], [1.0]) == Divergence("type", expected="a number", got="nothing (None)", path="[0]")


@pytest.mark.parametrize(
    ("got", "expected", "divergence"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, Divergence("keys", expected="key 'b'", got="")),
        ({"a": 1, "b": 2}, {"a": 1}, Divergence("keys", expected="", got="key 'b'")),
        ({"x": 1, "y": 1}, {"a": 1, "b": 2}, Divergence("keys", expected="keys 'a', 'b'", got="keys 'x', 'y'")),
        ([{1: 0}], [{"1": 0}], Divergence("keys", expected="key '1'", got="key 1", path="[0]")),
        ({True: 0}, {1: 0}, Divergence("keys", expected="key 1", got="key True")),
        ({-0.0: 0, None: 0}, {2.5: 0, b"": 0}, Divergence("keys", expected="keys 2.5, b''", got="keys -0.0, None")),
        ({}, dict.fromkeys("abcdefg"), Divergence("keys", expected="keys 'a', 'b', 'c', 'd', 'e' and 2 more", got="")),
        ({}, dict.fromkeys("abcde"), Divergence("keys", expected="keys 'a', 'b', 'c', 'd', 'e'", got="")),
        ({}, {"k" * 99: 0}, Divergence("keys", expected=f"key '{'k' * 15}...{'k' * 15}'", got="")),
        ({"\x1b[2J": 0}, {}, Divergence("keys", expected="", got="key '\\x1b[2J'")),
        ([1, 2], [1], Divergence("length", expected="1", got="2")),
        (((),), ((1, 2),), Divergence("length", expected="2", got="0", path="[0]")),
        ({"a": [0, [1]]}, {"a": [0, ["1"]]}, Divergence("type", "a string", "a whole number", path="['a'][1][0]")),
    ],
)
def test_wrong_keys_or_length(got, expected, divergence):
    assert first_divergence(got, expected) == divergence


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        10**1200,
        1.5,
        NAN,
        -INF,
        complex(NAN, 1),
        "text",
        b"bytes",
        [],
        (),
        {},
        {"b": [1, (2.0, None)], "a": {NAN: 1, None: "x"}},
        np.array([[NAN, INF, -INF, 0.0]]),
        np.zeros((0, 3), np.int8),
        np.array(2, np.uint64),
        torch.zeros(2, 0),
        torch.tensor(NAN, dtype=torch.bfloat16),
        torch.ones(2, requires_grad=True),
        torch.tensor([1 + 2j]).conj(),
        torch.ones(2, device="meta"),
    ],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.parametrize("exact", [False, True])
def test_a_value_equals_its_copy(value, exact):
    assert first_divergence(copy.deepcopy(value), value, exact=exact) is None


def test_keys_are_the_same_by_type_and_value():
    assert first_divergence({float("nan"): 1}, {float("nan"): 1}) is None
    assert found({float("nan"): 1}, {float("nan"): 2}).path == "[nan]"


def test_order_of_keys_and_layout_do_not_matter():
    assert first_divergence({"b": 1, "a": 2}, {"a": 2, "b": 1}) is None
    assert first_divergence(np.arange(6.0).reshape(2, 3).T.copy(), np.arange(6.0).reshape(2, 3).T) is None


# The order of the stages


@pytest.mark.parametrize(
    ("got", "expected", "kind", "path"),
    [
        ([torch.ones(2), 1.0], [torch.zeros(2), "a"], "type", "[1]"),
        ([torch.ones(2), [1]], [torch.ones(2).double(), []], "length", "[1]"),
        ([torch.zeros(3), torch.ones(2)], [torch.ones(2), torch.ones(2).double()], "dtype", "[1]"),
        ([torch.zeros(3), torch.ones(2)], [torch.ones(2), torch.ones(2, device="meta")], "device", "[1]"),
        ([torch.zeros(2), torch.ones(2)], [torch.ones(2), torch.ones(3)], "shape", "[1]"),
        ([torch.zeros(2), torch.ones(2)], [torch.ones(2), torch.zeros(2)], "values", "[0]"),
        ({"b": 1, "a": 1}, {"a": 2, "b": 2}, "values", "['a']"),
        (torch.ones(3), torch.ones(2, device="meta"), "device", ""),
        (torch.ones(3, device="meta"), torch.ones(2, device="meta"), "shape", ""),
    ],
)
def test_an_earlier_stage_beats_a_later_one_anywhere_in_the_tree(got, expected, kind, path):
    divergence = found(got, expected)
    assert (divergence.kind, divergence.path) == (kind, path)


@pytest.mark.parametrize(
    ("got", "expected", "names"),
    [
        (torch.ones(1), torch.ones(1).double(), ("float64", "float32")),
        (torch.ones(1).bool(), torch.ones(1).long(), ("int64", "bool")),
        (np.ones(1, np.float32), np.ones(1), ("float64", "float32")),
        (np.ones(1, complex), np.ones(1, np.uint8), ("uint8", "complex128")),
        (torch.ones(1), torch.ones(1, dtype=torch.bfloat16), ("bfloat16", "float32")),
    ],
)
def test_wrong_dtype(got, expected, names):
    assert first_divergence(got, expected) == Divergence("dtype", expected=names[0], got=names[1])


def test_wrong_device():
    assert first_divergence(torch.ones(1), torch.ones(1, device="meta")) == Divergence(
        "device", expected="meta", got="cpu"
    )


# Shapes

TOO_MANY = "one step too many: the initial state does not belong in the output"


@pytest.mark.parametrize(
    ("got", "expected", "axes", "cause"),
    [
        ((2, 14, 3), (2, 13, 3), BTC, TOO_MANY),
        ((2, 14, 3), (2, 13, 3), ("batch", "seq_len", "channel"), TOO_MANY),
        ((14,), (13,), ("step",), TOO_MANY),
        ((2, 12, 3), (2, 13, 3), BTC, "one step too few"),
        ((2, 1, 3), (2, 13, 3), BTC, "only one step: is this the last one?"),
        ((2, 9, 3), (2, 13, 3), BTC, ""),
        ((3, 13, 3), (2, 13, 3), BTC, ""),
        ((2, 14, 3), (2, 13, 3), (), ""),
        ((2, 14, 3), (2, 13, 3), ("batch", "time"), ""),
        ((13, 2, 3), (2, 13, 3), BTC, "time comes first, where it belongs on axis 1"),
        ((13, 2), (2, 13), ("batch", "length"), "time comes first, where it belongs on axis 1"),
        ((3, 4, 2), (4, 2, 3), ("batch", "head", "time"), "time comes first, where it belongs on axis 2"),
        ((13, 2, 3), (2, 13, 3), (), "axis 0 and axis 1 are swapped"),
        ((2, 3, 13), (2, 13, 3), BTC, "the time axis and the channel axis are swapped"),
        ((2, 13), (13, 2), ("time", "batch"), "transposed"),
        ((4, 3), (3, 4), (), "transposed"),
        ((3, 2, 13), (2, 13, 3), BTC, "the axes are in another order"),
        ((2, 3), (2, 13, 3), BTC, "the time axis is missing: is this the last step only?"),
        ((3,), (1, 3), ("time", "channel"), "the time axis is missing"),
        ((3,), (2, 3), ("time", "channel"), "the time axis is missing: is this the last step only?"),
        ((2, 3), (2, 13, 3), (), ""),
        ((13, 3), (1, 13, 3), BTC, "the batch axis, of size 1, is missing"),
        ((13, 3), (1, 13, 3), (), "axis 0, of size 1, is missing"),
        ((3,), (1, 1), (), ""),
        ((1, 2), (1, 1, 2), (), "an axis of size 1 is missing"),
        ((2, 1, 13, 3), (2, 13, 3), BTC, "axis 1, of size 1, is one too many"),
        ((1,), (), (), "axis 0, of size 1, is one too many"),
        ((1, 1, 3), (1, 3), (), "an axis of size 1 is one too many"),
        ((2, 2, 13, 3), (2, 13, 3), BTC, ""),
        ((78,), (2, 13, 3), BTC, ""),
        ((0,), (3,), ("time",), ""),
    ],
)
@pytest.mark.parametrize("make", [np.zeros, torch.zeros])
def test_wrong_shape_and_its_likely_cause(got, expected, axes, cause, make):
    assert first_divergence(make(got), make(expected), axes=axes) == Divergence(
        "shape",
        expected=str(expected),
        got=str(got),
        axes=axes if len(axes) == len(expected) else (),
        cause=cause,
    )


# Values


def values(expected: str, got: str, index: tuple[int, ...] = (), **fields: Any) -> Divergence:
    return Divergence("values", expected=expected, got=got, index=index, **{"wrong": 1, "total": 1, **fields})


@pytest.mark.parametrize(
    ("got", "expected", "divergence"),
    [
        (1.5, 1.0, values("1", "1.5", largest=0.5, allowed=1e-10)),
        (2, 1.0, values("1", "2", largest=1.0, allowed=1e-10)),
        (10**400, 0.5, values("0.5", "1.79769e308", largest=sys.float_info.max, allowed=0.5e-10)),
        (-(10**400), 0.5, values("0.5", "-1.79769e308", largest=sys.float_info.max, allowed=0.5e-10)),
        (0.5, 0.0, values("0", "0.5", largest=0.5, allowed=1e-10)),
        (NAN, 2.0, values("2", "NaN", largest=INF, allowed=2e-10, nans=1)),
        (2.0, NAN, values("NaN", "2", largest=INF, allowed=1e-10)),
        (-INF, INF, values("inf", "-inf", largest=INF, allowed=1e-10)),
        (1e308, INF, values("inf", "1e308", largest=INF, allowed=1e-10)),
        (-1.7e308, 1.7e308, values("1.7e308", "-1.7e308", largest=INF, allowed=1.7e298)),
        (3 + 4j, 0j, values("0+0j", "3+4j", largest=5.0, allowed=1e-10)),
        (complex(1, INF), complex(1, -INF), values("1-infj", "1+infj", largest=INF, allowed=1e-10)),
        (1.00000001, 1.0, values("1", "1.00000001", largest=1.00000001 - 1, allowed=1e-10)),
        (3, 4, values("4", "3", largest=1.0)),
        (2**53 + 1, 2**53, values("9007199254740992", "9007199254740993", largest=1.0)),
        (-(10**400), 0, values("0", "-1e400", largest=sys.float_info.max)),
        (True, False, values("False", "True")),
        ("abd", "abc", values("'abc'", "'abd'")),
        (b"a", b"", values("b''", "b'a'")),
        ("x" * 90, "x" * 40 + "y", values(f"...'{'x' * 18}y'", f"...'{'x' * 36}'...")),
        ("x" * 40, "x" * 41, values(f"...'{'x' * 19}'", f"...'{'x' * 18}'")),
    ],
)
def test_wrong_single_value(got, expected, divergence):
    assert first_divergence(got, expected) == divergence


@pytest.mark.parametrize(
    ("dtype", "tolerance"),
    [
        ("float64", 1e-10),
        ("complex128", 1e-10),
        ("float32", 1e-5),
        ("complex64", 1e-5),
        ("float16", 1e-2),
        ("bfloat16", 2e-2),
    ],
)
def test_tolerance_follows_from_the_dtype_and_the_scale(dtype, tolerance):
    kind = getattr(torch, dtype)
    expected = torch.tensor([4096.0, 0.0], dtype=kind)
    right, wrong = (torch.tensor([4096.0, share * tolerance * 4096], dtype=kind) for share in (0.9, 1.1))
    assert first_divergence(right, expected) is None
    divergence = found(wrong, expected)
    assert divergence.index == (1,)
    assert divergence.allowed == tolerance * 4096
    if dtype != "bfloat16":
        assert first_divergence(right.numpy(), expected.numpy()) is None
        assert first_divergence(wrong.numpy(), expected.numpy()) == divergence


@pytest.mark.parametrize(
    ("got", "expected", "rules", "agrees"),
    [
        (1.004, 1.0, {"tolerance": 5e-3}, True),
        (1.006, 1.0, {"tolerance": 5e-3}, False),
        (1.5, 1.0, {"tolerance": 0.5}, True),
        (math.nextafter(1.5, 2), 1.0, {"tolerance": 0.5}, False),
        (1.0, 1.0, {"tolerance": 0.0}, True),
        (math.nextafter(1.0, 2), 1.0, {"tolerance": 0.0}, False),
        (math.nextafter(1.0, 2), 1.0, {}, True),
        (math.nextafter(1.0, 2), 1.0, {"exact": True}, False),
        (math.nextafter(0.0, 1), 0.0, {"exact": True}, False),
        (-0.0, 0.0, {"exact": True}, True),
        (NAN, NAN, {"exact": True}, True),
        (NAN, 1.0, {"tolerance": 1e300}, False),
        (NAN, 1e300, {"tolerance": 1e300}, False),
        (5, 6, {"tolerance": 9.0}, False),
        (torch.tensor(5), torch.tensor(6), {"tolerance": 9.0}, False),
        (torch.tensor(1.0), torch.tensor(1.0).nextafter(torch.tensor(2.0)), {"exact": True}, False),
        (np.array([1e6, 1e-5]), np.array([1e6, 0.0]), {}, True),
        (np.array([INF, 1e-5]), np.array([INF, 0.0]), {}, False),
    ],
)
def test_tolerance_and_exact(got, expected, rules, agrees):
    assert (first_divergence(got, expected, **rules) is None) == agrees


def scan(*changes: tuple[tuple[int, int, int], float]) -> Any:
    """Zeros of shape (batch 2, time 4, channel 3) with some entries changed."""
    array = np.zeros((2, 4, 3))
    for place, value in changes:
        array[place] = value
    return array


@pytest.mark.parametrize(
    ("got", "axes", "index"),
    [
        (scan(((0, 3, 0), 1), ((1, 2, 1), 1), ((1, 2, 2), 1)), BTC, (1, 2, 1)),
        (scan(((0, 3, 0), 1), ((1, 2, 1), 1), ((1, 2, 2), 1)), ("batch", "seq_len", "channel"), (1, 2, 1)),
        (scan(((0, 3, 0), 1), ((1, 2, 1), 1), ((0, 2, 2), 1)), BTC, (0, 2, 2)),
        (scan(((0, 3, 2), 1), ((1, 2, 1), 1), ((1, 3, 0), 1)), ("batch", "head", "step"), (1, 3, 0)),
        (scan(((0, 3, 0), 1), ((1, 2, 1), 1)), ("batch", "head", "channel"), (0, 3, 0)),
        (scan(((0, 3, 0), 1), ((1, 2, 1), 1)), (), (0, 3, 0)),
        (scan(((0, 3, 0), 1), ((1, 2, 1), 1)), ("batch", "time"), (0, 3, 0)),
    ],
)
@pytest.mark.parametrize("convert", [np.asarray, torch.from_numpy, lambda array: torch.from_numpy(array).bfloat16()])
def test_first_wrong_value_is_the_earliest_in_time(got, axes, index, convert):
    divergence = found(convert(got), convert(scan()), axes=axes)
    assert divergence.index == index
    assert divergence.axes == (axes if len(axes) == 3 else ())
    assert (divergence.expected, divergence.got) == ("0", "1")


@pytest.mark.parametrize(
    ("got", "expected", "divergence"),
    [
        (
            [1.0, 2.5, 8.0, 4.0],
            [1.0, 2.0, 3.0, -4.0],
            values("2", "2.5", index=(1,), largest=8.0, allowed=4e-10, wrong=3, total=4),
        ),
        (
            [NAN, NAN, NAN, 1.0, INF],
            [NAN, 2.0, INF, NAN, INF],
            values("2", "NaN", index=(1,), largest=INF, allowed=2e-10, wrong=3, total=5, nans=2),
        ),
        ([0.0, -1.7e308], [0.0, 1.7e308], values("1.7e308", "-1.7e308", (1,), largest=INF, allowed=1.7e298, total=2)),
        ([1 + 1j, 4j], [1 + 1j, 3 + 4j], values("3+4j", "0+4j", index=(1,), largest=3.0, allowed=5e-10, total=2)),
        ([complex(NAN, 1)], [1j], values("0+1j", "NaN+1j", index=(0,), largest=INF, allowed=1e-10, nans=1)),
        ([0.5, 0.5], [0.5, 0.25], values("0.25", "0.5", (1,), largest=0.25, allowed=0.5e-10, total=2)),
        ([3, 2], [3, 5], values("5", "2", index=(1,), largest=3.0, total=2)),
        ([True, False], [True, True], values("True", "False", index=(1,), total=2)),
    ],
)
def test_wrong_arrays(got, expected, divergence):
    assert first_divergence(np.array(got), np.array(expected)) == divergence
    assert first_divergence(torch.from_numpy(np.array(got)), torch.from_numpy(np.array(expected))) == divergence


@pytest.mark.parametrize(
    ("got", "expected", "dtype", "largest"),
    [
        (2**64 - 1, 2**64 - 2, "uint64", 1.0),
        (0, 2**64 - 1, "uint64", 2.0**64),
        (2**63 - 1, -(2**63), "int64", 2.0**64),
        (2**53, 2**53 + 1, "int64", 1.0),
        (-128, 127, "int8", 255.0),
        (-3, -5, "int16", 2.0),
        (255, 0, "uint8", 255.0),
        (65535, 65534, "uint16", 1.0),
    ],
)
def test_integers_are_exact_over_their_whole_range(got, expected, dtype, largest):
    wrong, right = np.array([7, got], dtype), np.array([7, expected], dtype)
    divergence = values(str(expected), str(got), index=(1,), largest=largest, total=2)
    assert first_divergence(wrong, right, tolerance=1.0) == divergence
    assert first_divergence(torch.from_numpy(wrong), torch.from_numpy(right), exact=True) == divergence


def test_gradients_and_lazy_conjugates_are_read():
    got, expected = torch.tensor([1 + 2j, 3 + 4j], requires_grad=True).conj(), torch.tensor([1 - 2j, 3 + 4j])
    assert found(got, expected).index == (1,)
    assert found(got.imag, expected.imag).index == (1,)


# Properties

DTYPES = [np.float64, np.float32, np.float16, np.complex128, np.complex64, np.bool_, np.int8, np.int64, np.uint64]
SHAPES = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)
ARRAYS = st.sampled_from(DTYPES).flatmap(lambda dtype: hnp.arrays(dtype, SHAPES))


def changed(value: Any) -> Any:
    """Another value of the same dtype, further away than any tolerance."""
    if value.dtype.kind == "b":
        return not value
    if value.dtype.kind in "iu":
        return value ^ value.dtype.type(1)
    return 1.0 if np.isnan(value) else np.nan


def test_an_array_without_the_time_axis_is_the_state_at_one_time():
    got, expected = (
        {"all": np.zeros((2, 3, 4)), "last": np.ones((2, 4))},
        {"all": np.zeros((2, 3, 4)), "last": np.zeros((2, 4))},
    )
    assert found(got, expected, axes=BTC).axes == ("batch", "channel")


@given(ARRAYS.filter(lambda array: array.size > 0), st.data())
def test_one_changed_entry_is_the_one_that_is_found(expected, data):
    index = tuple(data.draw(st.integers(0, size - 1)) for size in expected.shape)
    exact = data.draw(st.booleans())
    got = expected.copy()
    assert first_divergence(got, expected, exact=exact) is None
    got[index] = changed(expected[index])
    axes = BTC[: expected.ndim]
    for convert in (np.asarray, torch.from_numpy):
        divergence = found(convert(got), convert(expected), axes=axes, exact=exact)
        assert (divergence.kind, divergence.index, divergence.axes) == ("values", index, axes)
        assert (divergence.wrong, divergence.total) == (1, expected.size)
        assert divergence.expected != divergence.got


@given(st.floats(allow_nan=False), st.floats(allow_nan=False))
def test_the_two_texts_differ_wherever_the_numbers_do(got, expected):
    divergence = first_divergence(got, expected, exact=True)
    assert (divergence is None) == (got == expected)
    assert divergence is None or divergence.expected != divergence.got


LEAVES = [
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(300, 1200).map(lambda exponent: 10**exponent),
    st.floats(),
    st.complex_numbers(),
    st.text(),
    st.binary(),
    ARRAYS,
    ARRAYS.map(lambda array: torch.from_numpy(array.copy())),
    SHAPES.map(lambda shape: torch.zeros(shape, dtype=torch.bfloat16)),
    SHAPES.map(lambda shape: torch.zeros(shape, device="meta")),
    st.just(Handle("Layer")),
]
KEYS = st.one_of(st.none(), st.booleans(), st.integers(-(2**63), 2**64 - 1), st.floats(), st.text(), st.binary())
TREES = st.recursive(
    st.one_of(LEAVES),
    lambda trees: st.one_of(
        st.lists(trees, max_size=3),
        st.lists(trees, max_size=3).map(tuple),
        st.dictionaries(KEYS, trees, max_size=3),
    ),
    max_leaves=6,
)
PAIRS = st.tuples(TREES, TREES) | st.sampled_from(LEAVES).flatmap(lambda leaves: st.tuples(leaves, leaves))
RULES = st.fixed_dictionaries(
    {
        "axes": st.sampled_from([(), ("time",), ("batch", "time"), BTC]),
        "tolerance": st.none() | st.floats(0, 1e308),
        "exact": st.booleans(),
    }
)


@given(PAIRS, RULES)
@example(("", "\U00018cd6" * 36), {})
@example((b"\xff" * 60, b"\xff" * 59), {})
@example(("\U00018cd6" * 80, "\U00018cd6" * 40 + "a" * 40), {})
def test_never_raises_and_is_always_readable(pair, rules):
    got, expected = pair
    for divergence in (first_divergence(got, expected, **rules), first_divergence([got], [expected], **rules)):
        if divergence is not None:
            lines = wrap(describe(divergence)).splitlines()
            assert lines
            assert all(0 < len(line) <= 100 and line.isprintable() for line in lines)


@given(st.lists(ARRAYS, min_size=2, max_size=2), st.sampled_from(DTYPES), RULES)
def test_never_raises_for_arrays_that_share_a_dtype_and_a_shape(pair, dtype, rules):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the casts in this test
        got, expected = (np.resize(array, (2, 3)).astype(dtype) for array in pair)
    divergence = first_divergence(got, expected, **rules)
    assert divergence is None or 0 < divergence.wrong <= divergence.total == 6


def test_the_deepest_tree_of_the_wire():
    got: Any = 1
    expected: Any = 2
    for _ in range(32):
        got, expected = {"layer": got}, {"layer": expected}
    divergence = found(got, expected)
    assert divergence.path == "['layer']" * 32
    assert all(len(line) <= 100 for line in describe(divergence).splitlines())
