"""wording.describe and wording.number: every sentence that a learner can read, word for word."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch

from workbook.compare.description import describe
from workbook.compare.divergence import Divergence, first_divergence
from workbook.compare.shown import apart, number, shorten

INF = float("inf")
BTC = ("batch", "time", "channel")


def values(expected: str, got: str, **fields: Any) -> Divergence:
    return Divergence("values", expected=expected, got=got, **{"wrong": 1, "total": 1, **fields})


@pytest.mark.parametrize(
    ("divergence", "sentence"),
    [
        (Divergence("type", "a torch tensor", "a list"), "Wrong type: expected a torch tensor, got a list."),
        (
            Divergence("type", "a number", "nothing (None)", cause="is the return missing?"),
            "Wrong type: expected a number, got nothing (None): is the return missing?",
        ),
        (
            Divergence("type", "a number", "a list", path="['loss'][1]"),
            "In result['loss'][1]: wrong type: expected a number, got a list.",
        ),
        (Divergence("keys", "key 'final_hidden_state'", ""), "Missing key 'final_hidden_state'."),
        (Divergence("keys", "", "keys 'x', 'y'"), "Unexpected keys 'x', 'y'."),
        (Divergence("keys", "key 'a'", "key 'b'"), "Missing key 'a'. Unexpected key 'b'."),
        (Divergence("keys", "key 'a'", "key 'b'", path="[0]"), "In result[0]: missing key 'a'. Unexpected key 'b'."),
        (Divergence("length", "3", "2"), "Wrong length: expected 3 items, got 2."),
        (Divergence("length", "1", "0", path="[2]"), "In result[2]: wrong length: expected 1 item, got 0."),
        (Divergence("dtype", "float64", "float32"), "Wrong dtype: expected float64, got float32."),
        (
            Divergence("device", "meta", "cpu"),
            "Wrong device: expected meta, got cpu. The result belongs on the device of the inputs.",
        ),
        (Divergence("shape", "(2, 3)", "(2, 4)"), "Wrong shape: expected (2, 3), got (2, 4)."),
        (
            Divergence("shape", "(13,)", "()", axes=("time",), cause="the time axis is missing: is it the last step?"),
            "Wrong shape: expected (13,) = (time), got (): the time axis is missing: is it the last step?",
        ),
        (
            Divergence("shape", "(3, 4)", "(4, 3)", path="['W']", cause="transposed"),
            "In result['W']: wrong shape: expected (3, 4), got (4, 3): transposed.",
        ),
    ],
)
def test_structure_dtype_and_shape(divergence, sentence):
    assert describe(divergence) == sentence


@pytest.mark.parametrize(
    ("index", "axes", "place"),
    [
        ((), (), ""),
        ((0, 3, 1), BTC, " at time 3 (batch 0, channel 1, all counted from 0)"),
        ((0, 3), ("batch", "length"), " at time 3 (batch 0, all counted from 0)"),
        ((3, 0), ("seq_len", "batch"), " at time 3 (batch 0, all counted from 0)"),
        ((3, 0), ("step", "batch"), " at step 3 (batch 0, all counted from 0)"),
        ((3,), ("time",), " at time 3 (counted from 0)"),
        ((3,), ("channel",), " at channel 3 (counted from 0)"),
        ((2, 3), ("batch", "channel"), " at batch 2, channel 3 (all counted from 0)"),
        ((3,), (), " at index 3 (counted from 0)"),
        ((2, 3), (), " at axis 0 = 2, axis 1 = 3 (all counted from 0)"),
    ],
)
def test_place_of_a_wrong_value(index, axes, place):
    divergence = values("1.51622", "0.4013", index=index, axes=axes)
    assert describe(divergence) == f"Wrong value{place}: expected 1.51622, got 0.4013."


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        (
            {"largest": 2.1349, "allowed": 1.4e-10, "wrong": 42, "total": 78},
            "42 of 78 values are off; the largest error is 2.13, allowed is 1.4e-10.",
        ),
        (
            {"largest": 2.0, "allowed": 1e-5, "wrong": 1, "total": 78},
            "1 of 78 values is off; the error is 2, allowed is 1e-5.",
        ),
        (
            {"largest": INF, "allowed": 1.23456e-10, "wrong": 42, "total": 78, "nans": 7},
            "42 of 78 values are off; the largest error is infinite, allowed is 1.23e-10. 7 of them are NaN.",
        ),
        (
            {"largest": INF, "allowed": 1e-10, "wrong": 42, "total": 78, "nans": 1},
            "42 of 78 values are off; the largest error is infinite, allowed is 1e-10. 1 of them is NaN.",
        ),
        (
            {"largest": INF, "allowed": 1e-10, "wrong": 42, "total": 78, "nans": 42},
            "42 of 78 values are off. All of them are NaN.",
        ),
        ({"largest": INF, "allowed": 1e-10, "wrong": 1, "total": 78, "nans": 1}, "1 of 78 values is off."),
        ({"largest": 3.0, "wrong": 2, "total": 4}, "2 of 4 values are off; the largest error is 3, allowed is 0."),
        ({"wrong": 2, "total": 4}, "2 of 4 values are off."),
        ({"largest": 0.5, "allowed": 1e-10}, "The error is 0.5, allowed is 1e-10."),
        ({"largest": INF, "allowed": 1e-10, "nans": 1}, None),
        ({"largest": INF, "allowed": 1e-10}, None),
        ({"largest": 1.0}, None),
        ({}, None),
    ],
)
def test_how_much_is_off(fields, line):
    first, *rest = describe(values("2", "3", **fields)).splitlines()
    assert first == "Wrong value: expected 2, got 3."
    assert rest == ([line] if line else [])


@pytest.mark.parametrize(
    ("got", "expected", "text"),
    [
        (
            torch.zeros(2, 14, 3),
            torch.zeros(2, 13, 3),
            "Wrong shape: expected (2, 13, 3) = (batch, time, channel), got (2, 14, 3): one step too many: the "
            "initial state does not belong in the output.",
        ),
        (
            {"hidden_states": torch.tensor([[[1.0], [math.nan], [3.0]]])},
            {"hidden_states": torch.tensor([[[1.0], [1.5], [1.75]]])},
            "In result['hidden_states']: wrong value at time 1 (batch 0, channel 0, all counted from 0): expected 1.5, "
            "got NaN.\n"
            "2 of 3 values are off; the largest error is infinite, allowed is 1.75e-5. 1 of them is NaN.",
        ),
        (
            [2.1943, 2.1920],
            [2.1943, 2.19200001],
            "In result[1]: wrong value: expected 2.19200001, got 2.192.\nThe error is 1e-8, allowed is 2.19e-10.",
        ),
        (
            np.array([[1, 2]]),
            np.array([[1, 3]]),
            "Wrong value at batch 0, channel 1 (all counted from 0): expected 3, got 2.\n"
            "1 of 2 values is off; the error is 1, allowed is 0.",
        ),
        (None, torch.zeros(1), "Wrong type: expected a torch tensor, got nothing (None): is the return missing?"),
        ({}, {"final": 1}, "Missing key 'final'."),
        ("a" * 50, "b" * 50, f"Wrong value: expected '{'b' * 36}'..., got '{'a' * 36}'...."),
    ],
)
def test_from_a_comparison_to_the_learner(got, expected, text):
    divergence = first_divergence(got, expected, axes=BTC)
    assert divergence is not None
    assert describe(divergence) == text


def test_a_long_path_keeps_its_ends():
    divergence = Divergence("dtype", "float64", "float32", path="['first']" + "['middle']" * 20 + "['last']")
    assert describe(divergence) == (
        "In result['first']['middle']['m...['middle']['middle']['last']: wrong dtype: expected float64, got float32."
    )


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (1.51622, "1.51622"),
        (1 / 3, "0.333333"),
        (2.0, "2"),
        (-0.0, "0"),
        (123456.7, "123457"),
        (1234567.0, "1.23457e6"),
        (1e16, "1e16"),
        (1e-5, "1e-5"),
        (1.4e-10, "1.4e-10"),
        (-2.5e-300, "-2.5e-300"),
        (math.nan, "NaN"),
        (-math.nan, "NaN"),
        (INF, "inf"),
        (-INF, "-inf"),
        (True, "True"),
        (7, "7"),
        (-123456789, "-123456789"),
        (2**64 - 1, "18446744073709551615"),
        (10**20, "1e20"),
        (123456789 * 10**20, "1.23457e28"),
        (1 + 2j, "1+2j"),
        (-0.5j, "0-0.5j"),
        (complex(math.nan, -INF), "NaN-infj"),
        (np.float32(0.1), "0.1"),
        (np.int64(3), "3"),
        (np.bool_(True), "True"),
        (np.array([2.5]), "2.5"),
        (torch.tensor(1.5), "1.5"),
        (torch.tensor([0.1], dtype=torch.bfloat16), "0.100098"),
        (torch.tensor(1j), "0+1j"),
    ],
)
def test_number(x, text):
    assert number(x) == text


def test_number_of_an_integer_that_str_refuses():
    assert number(-15 * 10**5000) == "-1.5e5001"


@pytest.mark.parametrize(
    ("expected", "got", "texts"),
    [
        (1.0, 2.0, ("1", "2")),
        (1.0, 1.0000001, ("1", "1.0000001")),
        (0.1 + 0.2, 0.3, ("0.30000000000000004", "0.3")),
        (1.23456789, 1.23456711, ("1.234568", "1.234567")),
        (10**20, 10**20 + 10**10, ("1e20", "1.0000000001e20")),
        ("a\nb", "a b", ("'a\\nb'", "'a b'")),
        ("a" * 36, "", (f"'{'a' * 36}'", "''")),
        ("b" * 37, "a" * 36, (f"'{'b' * 36}'...", f"'{'a' * 36}'")),
        (b"a" * 100 + b"b", b"a" * 101, (f"...b'{'a' * 18}b'", f"...b'{'a' * 19}'")),
    ],
)
def test_apart(expected, got, texts):
    assert apart(expected, got) == texts


def test_shorten():
    assert shorten("abcdefghi", 9) == "abcdefghi"
    assert shorten("abcdefghij", 9) == "abc...hij"
