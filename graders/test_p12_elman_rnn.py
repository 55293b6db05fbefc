"""Checks of problem 12. Inputs are asymmetric on purpose: 2 rows, 13 steps, 3 inputs and 4 hidden units."""

import numpy as np
import pytest

AXES = ("batch", "time", "unit")


def inputs(rng, batch=2, length=13, input_size=3, hidden_size=4, scale=0.6):
    """X, h_0, W_xh, W_hh, b_h. The states stay well inside (-1, 1), where tanh hides nothing."""
    return (
        rng.normal(size=(batch, length, input_size)),
        rng.uniform(-0.9, 0.9, size=(batch, hidden_size)),
        scale * rng.normal(size=(hidden_size, input_size)),
        scale * rng.normal(size=(hidden_size, hidden_size)),
        scale * rng.normal(size=(hidden_size,)),
    )


def arithmetic(case, at):
    """What happens at the first wrong number: the terms of the sum, then its tanh."""
    X, h_0, W_xh, W_hh, b_h = (case.args[name] for name in ("X", "h_0", "W_xh", "W_hh", "b_h"))
    row, unit = at[0], at[-1]
    time = at[1] if len(at) == 3 else X.shape[1] - 1
    before = h_0[row] if time == 0 else case.expected["hidden_states"][row, time - 1]
    terms = X[row, time] @ W_xh[unit], before @ W_hh[unit], b_h[unit]
    return (
        f"input term {terms[0]:.4g} + recurrent term {terms[1]:.4g} + bias {terms[2]:.4g} "
        f"= {sum(terms):.4g}, and tanh of it is {np.tanh(sum(terms)):.4g}"
    )


@pytest.mark.points(1)
@pytest.mark.hint(5)
def test_hand_example_from_zeros(agree, examples):
    """gives the hand example that starts from zeros"""
    agree("rnn_forward", *examples["from_zeros"].arguments.values(), axes=AXES, explain=arithmetic)


@pytest.mark.points(1)
@pytest.mark.hint(1)
def test_hand_example_from_another_start(agree, examples):
    """gives the hand example that starts from h_0 = [1, -1, 0.5]"""
    agree("rnn_forward", *examples["from_another_start"].arguments.values(), axes=AXES, explain=arithmetic)


@pytest.mark.points(2)
@pytest.mark.hint(5)
def test_form_of_the_result(learner, reference, shaped, rng):
    """returns a dict with exactly hidden_states (N, T, H) and final_hidden_state (N, H), both float64"""
    arrays = inputs(rng, length=5)
    shaped(learner.rnn_forward(*arrays), reference.rnn_forward(*arrays), axes=AXES)


@pytest.mark.points(3)
@pytest.mark.hint(4)
def test_every_state_of_a_sequence(agree, rng):
    """gives the state after each of 13 steps"""
    agree("rnn_forward", *inputs(rng), axes=AXES, explain=arithmetic)


@pytest.mark.points(1)
@pytest.mark.hint(2)
def test_one_step(agree, rng):
    """works for a sequence of one step"""
    agree("rnn_forward", *inputs(rng, length=1), axes=AXES, explain=arithmetic)


@pytest.mark.points(1)
@pytest.mark.hint(1)
def test_starts_from_h_0(agree, rng):
    """starts from h_0, whose trace goes on where X is zero"""
    X, h_0, W_xh, W_hh, _ = inputs(rng)
    agree("rnn_forward", np.zeros_like(X), h_0, W_xh, W_hh, np.zeros(4), axes=AXES, explain=arithmetic)


@pytest.mark.points(1)
@pytest.mark.hint(3)
def test_adds_the_bias(agree, rng):
    """adds the bias at every step, inside the tanh"""
    X, h_0, W_xh, W_hh, b_h = inputs(rng)
    agree("rnn_forward", np.zeros_like(X), np.zeros_like(h_0), W_xh, W_hh, b_h, axes=AXES, explain=arithmetic)


@pytest.mark.points(1)
@pytest.mark.hint(5)
def test_final_state_is_the_last(learner, reference, same, shaped, rng):
    """final_hidden_state equals the last of hidden_states"""
    arrays = inputs(rng, length=5)
    got, expected = learner.rnn_forward(*arrays), reference.rnn_forward(*arrays)
    shaped(got, expected, axes=AXES)
    says = "final_hidden_state is not hidden_states[:, -1], the state after the last step."
    same(got["final_hidden_state"], got["hidden_states"][:, -1], says=says, axes=("batch", "unit"))
    says = "final_hidden_state is not the state after the last step."
    same(got["final_hidden_state"], expected["final_hidden_state"], says=says, axes=("batch", "unit"))


@pytest.mark.points(2)
@pytest.mark.hint(3)
def test_square_weights_are_transposed(agree, rng):
    """transposes the weights also where D = H and where N = H, where a wrong order of axes raises no error"""
    agree("rnn_forward", *inputs(rng, length=3, input_size=4), axes=AXES, explain=arithmetic)
    agree("rnn_forward", *inputs(rng, batch=4, length=3, input_size=4), axes=AXES, explain=arithmetic)


@pytest.mark.points(1)
@pytest.mark.hint(1)
def test_integer_inputs(agree, rng):
    """gives float64 also where X or h_0 holds integers"""
    X, h_0, *parameters = inputs(rng, length=5)
    whole_X, whole_h_0 = rng.integers(-3, 4, size=X.shape), rng.integers(-2, 3, size=h_0.shape)
    agree("rnn_forward", whole_X, h_0, *parameters, axes=AXES, explain=arithmetic)
    agree("rnn_forward", X, whole_h_0, *parameters, axes=AXES, explain=arithmetic)
    agree("rnn_forward", whole_X, whole_h_0, *parameters, axes=AXES, explain=arithmetic)


@pytest.mark.points(1)
@pytest.mark.hint(1)
def test_leaves_its_arguments_alone(agree, rng):
    """leaves X, h_0 and the parameters as they were"""
    agree.unchanged("rnn_forward", *inputs(rng))


@pytest.mark.points(1)
@pytest.mark.hint(2)
def test_rows_of_a_batch_are_independent(learner, reference, shaped, same, rng):
    """a row of the batch does not depend on the other rows, however large they are"""
    X, h_0, *parameters = inputs(rng, batch=3)
    # So large that even a tiny share of another row shows in the first one.
    X[1:] *= 1e6
    h_0[1:] *= 1e6
    got, expected = learner.rnn_forward(X, h_0, *parameters), reference.rnn_forward(X, h_0, *parameters)
    shaped(got, expected, axes=AXES)
    # Of the first row only: that large numbers do not overflow is another check.
    got, expected = ({key: value[:1] for key, value in result.items()} for result in (got, expected))
    same(
        got, expected, says="In a batch whose other rows are a million times larger, the first row is wrong.", axes=AXES
    )


@pytest.mark.points(1)
@pytest.mark.hint(2)
def test_views(agree, rng):
    """works on an X and on weights that are transposed views"""
    X, h_0, W_xh, W_hh, b_h = inputs(rng)
    time_first = np.ascontiguousarray(X.transpose(1, 0, 2)).transpose(1, 0, 2)
    parameters = np.asfortranarray(W_xh), np.asfortranarray(W_hh), b_h
    agree("rnn_forward", time_first, h_0, *parameters, axes=AXES, explain=arithmetic)


@pytest.mark.points(1)
@pytest.mark.hint(1)
def test_two_chunks_equal_the_whole(learner, reference, same, rng):
    """two chunks give the same as the whole sequence, where the final state of the first starts the second"""
    X, h_0, *parameters = inputs(rng)
    whole = reference.rnn_forward(X, h_0, *parameters)
    for cut in (1, 6, 12):
        first = learner.rnn_forward(X[:, :cut], h_0, *parameters)
        expected = reference.rnn_forward(X[:, :cut], h_0, *parameters)
        same(first, expected, says=f"The first chunk, X[:, :{cut}], is wrong.", axes=AXES)
        second = learner.rnn_forward(X[:, cut:], first["final_hidden_state"], *parameters)
        expected = {"hidden_states": whole["hidden_states"][:, cut:], "final_hidden_state": whole["final_hidden_state"]}
        says = f"The second chunk, X[:, {cut}:], is not the rest of the whole sequence."
        same(second, expected, says=says, axes=AXES)


@pytest.mark.points(1)
@pytest.mark.hint(4)
def test_calls_are_independent(learner, reference, shaped, same, rng):
    """a call neither depends on earlier calls nor changes their results"""
    X, h_0, *parameters = inputs(rng, length=5)
    zeros = np.zeros_like(h_0)
    kept = learner.rnn_forward.keep(X, zeros, *parameters)
    first = kept.get()
    shaped(first, reference.rnn_forward(X, zeros, *parameters), axes=AXES)
    learner.rnn_forward(-X, h_0, *parameters)
    same(kept.get(), first, says="A second call changed the result that the first one had returned.", axes=AXES)
    says = "The same call gave another result after a call with other arguments (expected: what it gave at first)."
    same(learner.rnn_forward(X, zeros, *parameters), first, says=says, axes=AXES)


@pytest.mark.points(1)
@pytest.mark.hint(3)
def test_large_inputs(agree, rng):
    """large inputs drive the states to -1 and 1 without overflow, through 40 steps"""
    X, h_0, *parameters = inputs(rng, length=40)
    X[:, ::4] *= 1e4
    agree("rnn_forward", X, h_0, *parameters, axes=AXES, explain=arithmetic)


@pytest.mark.points(1)
@pytest.mark.hint(4)
def test_smallest_sizes(agree, rng):
    """works for one row, one input and one unit"""
    for sizes in ((1, 4, 3, 2), (3, 4, 1, 2), (2, 4, 3, 1), (1, 1, 1, 1)):
        agree("rnn_forward", *inputs(rng, *sizes), axes=AXES, explain=arithmetic)
