"""The checks of benchmarks/peers.py as a test file of pytest-prairielearn-grader.

They share one process of the learner's (`module_sandbox`), in which torch is imported once: quicker than a process for
each check. Its answers travel as JSON, which carries arrays but no tensors, so prairielearn_trailing.py, put after the
submission, turns the one into the other.
"""

import numpy as np
import pytest
from pytest_prairielearn_grader import ConfigObject

autograder_config = ConfigObject(sandbox_timeout=60)


def expected(a, b, h0):
    states, h = [], h0
    for t in range(a.shape[1]):
        h = a[:, t] * h + b[:, t]
        states.append(h)
    return np.stack(states, axis=1)


def inputs():
    generator = np.random.default_rng(1)
    return generator.random((2, 13, 3)), generator.normal(size=(2, 13, 3)), generator.normal(size=(2, 3))


def scan(sandbox, *arguments):
    return sandbox.query_function("scan_of_arrays", *arguments, query_timeout=10)


@pytest.mark.grading_data(name="decay of one half", points=1)
def test_decay_of_one_half(module_sandbox):
    got = scan(module_sandbox, np.full((1, 3, 1), 0.5), np.ones((1, 3, 1)))
    np.testing.assert_allclose(got, np.reshape([1.0, 1.5, 1.75], (1, 3, 1)))


@pytest.mark.grading_data(name="second hand example", points=1)
def test_second_hand_example(module_sandbox):
    a, b = np.reshape([2.0, 3.0, 0.5, -1.0], (1, 4, 1)), np.reshape([1.0, 1.0, 4.0, 2.0], (1, 4, 1))
    got = scan(module_sandbox, a, b, np.array([[5.0]]))
    np.testing.assert_allclose(got, np.reshape([11.0, 34.0, 21.0, -19.0], (1, 4, 1)))


@pytest.mark.grading_data(name="many rows and channels", points=1)
def test_many_rows_and_channels(module_sandbox):
    a, b, h0 = inputs()
    np.testing.assert_allclose(scan(module_sandbox, a, b), expected(a, b, 0 * h0))


@pytest.mark.grading_data(name="starts from h0", points=1)
def test_starts_from_h0(module_sandbox):
    a, b, h0 = inputs()
    np.testing.assert_allclose(scan(module_sandbox, a, b, h0), expected(a, b, h0))
