"""Checks of problem 11. Inputs are asymmetric on purpose: a batch of 2, 7 or 13 steps, 3 inputs and 4 hidden units."""

import pytest
import torch

SEQUENCE = ("batch", "time", "unit")
STATE = ("batch", "unit")
LAYER = ("GatedLinearRecurrentLayer",)


def layer_and_inputs(rng, batch=2, length=7, input_size=3, hidden_size=4):
    """Weights for the constructor, then x and h0."""
    weights = rng.normal(size=(input_size, hidden_size)), rng.normal(size=(input_size, hidden_size))
    return weights, rng.normal(size=(batch, length, input_size)), rng.normal(size=(batch, hidden_size))


def arithmetic(case, at):
    """What happens at the first wrong number: gate, old state, increment."""
    row, unit = at[0], at[-1]
    if "x_t" in case.args:
        x_t, before = case.args["x_t"][row], case.args["h_prev"][row, unit]
    else:
        time = at[1]
        x_t = case.args["x"][row, time]
        before = case.args["h0"][row, unit] if time == 0 else case.expected[row, time - 1, unit]
    gate = torch.sigmoid(x_t @ case.args["W_a"][:, unit])
    increment = x_t @ case.args["W_b"][:, unit]
    return f"gate {gate:.4g} * state before {before:.4g} + increment {increment:.4g} = {gate * before + increment:.4g}"


@pytest.mark.points(2)
@pytest.mark.hint(2)
def test_step_is_the_update(agree, rng):
    """step gives sigmoid(x_t @ W_a) * h_prev + x_t @ W_b"""
    weights, x, h0 = layer_and_inputs(rng)
    agree("GatedLinearRecurrentLayer.step", x[:, 0], h0, init=weights, axes=STATE, explain=arithmetic)


@pytest.mark.points(1)
@pytest.mark.hint(4)
def test_hand_examples(agree, examples):
    """gives the hand examples, for one step and for gates of 1/2 and of 3/4, 1/4 and 1/2"""
    # The last first: with a gate of 1/2 some mistakes look like others.
    for example in reversed(examples.values()):
        W_a, W_b, *arguments = example.arguments.values()
        axes = STATE if example.call.endswith("step") else SEQUENCE
        agree(example.call, *arguments, init=(W_a, W_b), axes=axes, explain=arithmetic)


@pytest.mark.points(2)
@pytest.mark.hint(3)
def test_forward_returns_every_state(agree, rng):
    """forward returns the state after each of 13 steps, starting from h0"""
    weights, x, h0 = layer_and_inputs(rng, length=13)
    agree("GatedLinearRecurrentLayer.forward", x, h0, init=weights, axes=SEQUENCE, explain=arithmetic)


@pytest.mark.points(1)
@pytest.mark.hint(3)
def test_slow_decay(agree, rng):
    """carries the state through 60 steps with gates near 1"""
    W_a, W_b = rng.uniform(1, 2, size=(3, 4)), rng.normal(size=(3, 4))
    x, h0 = rng.uniform(0.8, 1.2, size=(2, 60, 3)), rng.normal(size=(2, 4))
    agree("GatedLinearRecurrentLayer.forward", x, h0, init=(W_a, W_b), axes=SEQUENCE, explain=arithmetic)


@pytest.mark.points(1)
@pytest.mark.hint(4)
def test_other_sizes(agree, rng):
    """works for one step, one row, one unit, a single input, equal sizes, and an x that is a transposed view"""
    for sizes in ((2, 1, 3, 4), (1, 7, 4, 3), (3, 5, 2, 1), (5, 2, 1, 3), (3, 3, 3, 3)):
        weights, x, h0 = layer_and_inputs(rng, *sizes)
        agree("GatedLinearRecurrentLayer.forward", x, h0, init=weights, axes=SEQUENCE, explain=arithmetic)
    weights, x, h0 = layer_and_inputs(rng)
    transposed = x.transpose(0, 1).contiguous().transpose(0, 1)
    agree("GatedLinearRecurrentLayer.forward", transposed, h0, init=weights, axes=SEQUENCE, explain=arithmetic)


@pytest.mark.points(1)
@pytest.mark.hint(3)
def test_forward_goes_through_step(learner, same, rng):
    """forward calls step for every time step"""
    weights, x, h0 = layer_and_inputs(rng)
    _, calls = learner.GatedLinearRecurrentLayer(*weights).forward.count("step", x, h0)
    same(
        calls >= 7, True, says=f"A sequence of 7 steps must make forward call step 7 times; it called it {calls} times."
    )


@pytest.mark.points(1)
@pytest.mark.hint(3)
def test_forward_calls_step_once_for_each_time(learner, same, rng):
    """forward calls step once for each time step, for all rows together, and not more often"""
    weights, x, h0 = layer_and_inputs(rng)
    _, calls = learner.GatedLinearRecurrentLayer(*weights).forward.count("step", x, h0)
    same(calls, 7, says="A batch of 2 sequences of 7 steps must make forward call step 7 times.", exact=True)


@pytest.mark.points(2)
@pytest.mark.hint(3)
def test_forward_equals_repeated_steps_exactly(learner, reference, same, shaped, rng):
    """forward gives what repeated calls of step give, to the last bit"""
    for dtype in (torch.float64, torch.float32):
        (W_a, W_b), x, h0 = layer_and_inputs(rng, length=13)
        W_a, W_b, x, h0 = W_a.to(dtype), W_b.to(dtype), x.to(dtype), h0.to(dtype)
        expected = reference.GatedLinearRecurrentLayer(W_a, W_b).forward(x, h0)
        layer = learner.GatedLinearRecurrentLayer(W_a, W_b)
        # Both paths read views of the same tensor: a copy in another layout may differ in the last bit.
        x, h = learner.put(x), learner.put(h0)
        whole = layer.forward(x, h)
        same(whole, expected, says="The states of forward are not yet right.", axes=SEQUENCE)
        for time in range(13):
            h = layer.step.keep(x[:, time], h)
            stepped = h.get()
            shaped(stepped, expected[:, time], axes=STATE)
            says = f"At time {time} forward differs from repeated calls of step: they must be equal to the last bit."
            same(whole[:, time], stepped, says=says, axes=STATE, exact=True)


def in_two_chunks(side, W_a, W_b, x, h0):
    """The whole sequence, then every split of it in two chunks, on one layer."""
    layer = side.GatedLinearRecurrentLayer(W_a, W_b)
    results = {"whole": layer.forward(x, h0)}
    for cut in range(1, x.shape[1]):
        first = layer.forward.keep(x[:, :cut], h0)
        second = layer.forward(x[:, cut:], first[:, -1])
        results[f"cut at {cut}"] = {"first chunk": first.get(), "second chunk": second}
    return results


@pytest.mark.points(2)
@pytest.mark.hint(5)
def test_two_chunks_equal_the_whole(agree, rng):
    """two chunks give the same as the whole sequence, wherever it is cut and the state handed on"""
    weights, x, h0 = layer_and_inputs(rng)
    agree(in_two_chunks, *weights, x, h0, axes=SEQUENCE, about=LAYER)


def interleaved(side, W_a, W_b, one, one_h0, two, two_h0):
    """Two streams that take turns on one layer, with a call of forward for a third user in the middle."""
    layer = side.GatedLinearRecurrentLayer(W_a, W_b)
    states, one_h, two_h = {}, one_h0, two_h0
    for time in range(one.shape[1]):
        one_h = layer.step.keep(one[:, time], one_h)
        two_h = layer.step.keep(two[:, time], two_h)
        if time == 2:
            layer.forward(two, one_h0)
        states[f"time {time}"] = {"first stream": one_h.get(), "second stream": two_h.get()}
    return states


@pytest.mark.points(2)
@pytest.mark.hint(5)
def test_two_streams_do_not_mix(agree, rng):
    """two streams that take turns on one layer do not touch each other"""
    weights, one, one_h0 = layer_and_inputs(rng)
    _, two, two_h0 = layer_and_inputs(rng)
    agree(interleaved, *weights, one, one_h0, two, two_h0, axes=STATE, about=LAYER)


def resumed(side, W_a, W_b, x, h0):
    """A state that is saved, left behind, and then taken up again with other inputs."""
    layer = side.GatedLinearRecurrentLayer(W_a, W_b)
    saved = layer.step.keep(x[:, 0], h0)
    later = layer.step.keep(x[:, 1], saved)
    last = layer.step(x[:, 2], later)
    return {"saved": saved.get(), "later": later.get(), "last": last, "resumed": layer.step(x[:, 3], saved)}


def kept_states(side, W_a, W_b, x, h0):
    """The states of one call of forward, read after another call."""
    layer = side.GatedLinearRecurrentLayer(W_a, W_b)
    kept = layer.forward.keep(x, h0)
    layer.forward(-x, h0)
    return kept.get()


@pytest.mark.points(1)
@pytest.mark.hint(1)
def test_a_saved_state_stays_as_it_was(agree, rng):
    """saved states are not changed by later calls, and a stream can be resumed from one"""
    weights, x, h0 = layer_and_inputs(rng)
    agree(resumed, *weights, x, h0, axes=STATE, about=LAYER)
    agree(kept_states, *weights, x, h0, axes=SEQUENCE, about=LAYER)


def weights_after_use(side, W_a, W_b, x, h0):
    W_a, W_b = side.put(W_a), side.put(W_b)
    layer = side.GatedLinearRecurrentLayer(W_a, W_b)
    layer.forward(x, h0)
    return {"W_a": W_a.get(), "W_b": W_b.get()}


@pytest.mark.points(1)
@pytest.mark.hint(1)
def test_changes_nothing_it_was_given(agree, rng):
    """leaves x_t, h_prev, x, h0 and the weights as they were"""
    weights, x, h0 = layer_and_inputs(rng)
    agree.unchanged("GatedLinearRecurrentLayer.step", x[:, 0], h0, init=weights)
    agree.unchanged("GatedLinearRecurrentLayer.forward", x, h0, init=weights)
    agree(weights_after_use, *weights, x, h0, about=LAYER)


def updated_weights(side, W_a, W_b, x, h0):
    """Two layers, whose weights are scaled in place between two calls, as an optimiser changes them."""
    W_a, W_b, other_W_a, other_W_b = side.put(W_a), side.put(W_b), side.put(W_b), side.put(W_a)
    layer, other = side.GatedLinearRecurrentLayer(W_a, W_b), side.GatedLinearRecurrentLayer(other_W_a, other_W_b)
    before = {"first layer": layer.forward(x, h0), "second layer": other.forward(x, h0)}
    for factor, weight in enumerate((W_a, W_b, other_W_a, other_W_b), start=2):
        weight.mul_.keep(1 / factor)
    after = {"first layer": layer.forward(x, h0), "second layer": other.forward(x, h0)}
    return {"before the change": before, "after the change": after}


@pytest.mark.points(1)
@pytest.mark.hint(5)
def test_keeps_the_weights_it_was_given(agree, rng):
    """each layer uses the very tensors it was given, so that a change an optimiser makes to them takes effect"""
    weights, x, h0 = layer_and_inputs(rng)
    agree(updated_weights, *weights, x, h0, axes=SEQUENCE, about=LAYER)


def first_row(side, W_a, W_b, x, h0):
    layer = side.GatedLinearRecurrentLayer(W_a, W_b)
    return {"step": layer.step.keep(x[:, 0], h0)[:1].get(), "forward": layer.forward.keep(x, h0)[:1].get()}


@pytest.mark.points(1)
@pytest.mark.hint(2)
def test_rows_of_a_batch_are_independent(agree, rng):
    """a row of the batch does not depend on the other rows, however large they are"""
    weights, x, h0 = layer_and_inputs(rng, batch=3)
    # So large that even a tiny share of another row shows in the first one.
    x[1:] *= 1e6
    h0[1:] *= 1e6
    agree(first_row, *weights, x, h0, axes=SEQUENCE, about=LAYER)


@pytest.mark.points(1)
@pytest.mark.hint(2)
def test_gate_lies_between_0_and_1(learner, reference, same, shaped, rng):
    """the share of the old state that survives a step lies between 0 and 1"""
    (W_a, W_b), x, h0 = layer_and_inputs(rng)
    x_t = 2 * x[:, 0]
    # Two layers, so that a state kept on self, which another check is about, does not show here.
    low = learner.GatedLinearRecurrentLayer(W_a, W_b).step(x_t, h0)
    high = learner.GatedLinearRecurrentLayer(W_a, W_b).step(x_t, h0 + 1)
    right = reference.GatedLinearRecurrentLayer(W_a, W_b)
    expected = right.step(x_t, h0)
    for got in (low, high):  # type, dtype and shape only, so that the two can be subtracted
        shaped(got, expected, axes=STATE)
    gate = high - low
    says = "step(x_t, h + 1) - step(x_t, h) is the gate, which must lie between 0 and 1."
    same(gate, gate.clamp(0, 1), says=says, axes=STATE)
    says = "step(x_t, h + 1) - step(x_t, h) is the gate, which must be sigmoid(x_t @ W_a)."
    same(gate, right.step(x_t, h0 + 1) - expected, says=says, axes=STATE)


@pytest.mark.points(1)
@pytest.mark.hint(2)
def test_large_inputs(agree, rng):
    """a large x_t @ W_a closes or opens the gate fully, without NaN"""
    (W_a, W_b), x, h0 = layer_and_inputs(rng)
    # So large that exp overflows in float64.
    agree("GatedLinearRecurrentLayer.step", x[:, 0], h0, init=(1e3 * W_a, W_b), axes=STATE, explain=arithmetic)
    agree("GatedLinearRecurrentLayer.forward", x, h0, init=(1e3 * W_a, W_b), axes=SEQUENCE, explain=arithmetic)


@pytest.mark.points(2)
@pytest.mark.hint(5)
def test_gradients_reach_every_argument(agree, rng):
    """the right gradients reach x, h0 and the very W_a and W_b that were passed in, through all steps"""
    # Gates near 1, and so many steps that gradients cut off after each block of 8, 16 or 32 steps show too.
    weights = rng.uniform(1, 2, size=(3, 4)), rng.normal(size=(3, 4))
    x, h0 = rng.uniform(0.8, 1.2, size=(2, 40, 3)), rng.normal(size=(2, 4))
    agree.gradients("GatedLinearRecurrentLayer.forward", x, h0, init=weights, cotangent=rng.normal(size=(2, 40, 4)))


@pytest.mark.points(1)
@pytest.mark.hint(2)
def test_keeps_dtype_and_device(agree, rng):
    """float32 stays float32, and the device stays that of the inputs"""
    (W_a, W_b), x, h0 = layer_and_inputs(rng)
    weights, x, h0 = (W_a.float(), W_b.float()), x.float(), h0.float()
    agree("GatedLinearRecurrentLayer.step", x[:, 0], h0, init=weights, axes=STATE)
    agree("GatedLinearRecurrentLayer.forward", x, h0, init=weights, axes=SEQUENCE)
    # The meta device has shapes and no numbers, and mixes with no other device.
    elsewhere = tuple(weight.to("meta") for weight in weights)
    agree("GatedLinearRecurrentLayer.forward", x.to("meta"), h0.to("meta"), init=elsewhere, axes=SEQUENCE)
