"""Checks of problem 1. Each docstring is the line the learner reads."""

import pytest
import torch

AXES = ("batch", "time", "channel")


def explain(case, at):
    """The update at one place, with the state that the reference had before it."""
    batch, time, channel = at
    a, b, h0 = case.args["a"], case.args["b"], case.args.get("h0")
    if time > 0:
        before = case.expected[batch, time - 1, channel].item()
    else:
        before = 0.0 if h0 is None else h0[batch, channel].item()
    gate, increment = a[at].item(), b[at].item()
    return f"a * h + b = {gate:.6g} * {before:.6g} + {increment:.6g} = {gate * before + increment:.6g}"


@pytest.mark.points(1)
@pytest.mark.hint(1)
def test_decay_of_one_half(agree, examples):
    """climbs 1, 1.5, 1.75 with a = 0.5 and b = 1"""
    case = examples["half"]
    agree("sequential_scan", *case.arguments.values(), axes=AXES, explain=explain)


@pytest.mark.points(1)
@pytest.mark.hint(2)
def test_second_hand_example(agree, examples):
    """gives 11, 34, 21, -19 on the second example"""
    case = examples["grow_shrink_flip"]
    agree("sequential_scan", *case.arguments.values(), axes=AXES, explain=explain)


@pytest.mark.points(1)
@pytest.mark.hint(2)
def test_many_rows_and_channels(agree, rng):
    """agrees on several rows and channels, without h0"""
    a, b = rng.uniform(0.9, 1, size=(2, 13, 3)), rng.normal(size=(2, 13, 3))
    agree("sequential_scan", a, b, axes=AXES, explain=explain)


@pytest.mark.points(2)
@pytest.mark.hint(3)
def test_starts_from_h0(agree, rng):
    """starts from the supplied h0"""
    a, b, h0 = rng.uniform(0.9, 1, size=(2, 13, 3)), rng.normal(size=(2, 13, 3)), rng.normal(size=(2, 3))
    agree("sequential_scan", a, b, h0, axes=AXES, explain=explain)


@pytest.mark.points(1)
@pytest.mark.hint(3)
def test_single_step(agree, rng):
    """works for a single step"""
    a, b, h0 = rng.uniform(-1, 1, size=(3, 1, 2)), rng.normal(size=(3, 1, 2)), rng.normal(size=(3, 2))
    agree("sequential_scan", a, b, h0, axes=AXES, explain=explain)
    agree("sequential_scan", a[:1], b[:1], axes=AXES, explain=explain)


@pytest.mark.points(2)
@pytest.mark.hint(2)
def test_zero_gate_resets(agree, rng):
    """a gate of exactly 0 forgets the past, and the steps after it are right"""
    a, b, h0 = rng.uniform(0.8, 1.1, size=(2, 13, 3)), rng.normal(size=(2, 13, 3)), rng.normal(size=(2, 3))
    a[0, 4, 1] = a[1, 0, 0] = a[1, 12, 2] = a[0, 4, 2] = a[0, 5, 2] = 0.0
    agree("sequential_scan", a, b, h0, axes=AXES, explain=explain)


@pytest.mark.points(1)
@pytest.mark.hint(2)
def test_negative_gates(agree, rng):
    """negative gates, gates of 1 and gates above it are ordinary numbers, and so are large states"""
    a, b, h0 = rng.uniform(-1.3, 1.3, size=(3, 11, 2)), rng.normal(size=(3, 11, 2)), rng.normal(size=(3, 2))
    a[0, 2], a[1, 5], a[2, 7] = 1.0, -1.0, -3.5
    agree("sequential_scan", a, b, h0, axes=AXES, explain=explain)
    agree("sequential_scan", a, 1e4 * b, -1e5 * h0, axes=AXES, explain=explain)


@pytest.mark.points(1)
@pytest.mark.hint(2)
def test_long_sequences(agree, rng):
    """stays right over hundreds of steps"""
    a, b, h0 = rng.uniform(0.4, 0.6, size=(2, 300, 3)), rng.normal(size=(2, 300, 3)), rng.normal(size=(2, 3))
    agree("sequential_scan", a.float(), b.float(), h0.float(), axes=AXES, explain=explain)
    # More than 512, a length at which something could be cut off.
    slow, many = rng.uniform(0.98, 1.0, size=(2, 600, 3)), rng.normal(size=(2, 600, 3))
    agree("sequential_scan", slow, many, h0, axes=AXES, explain=explain)
    # The product of these gates is under 1e-330, which float64 cannot hold: dividing by it gives NaN.
    fast = rng.uniform(0.02, 0.07, size=(2, 300, 3))
    agree("sequential_scan", fast, b, h0, axes=AXES, explain=explain)


@pytest.mark.points(1)
@pytest.mark.hint(3)
def test_keeps_float32(agree, rng):
    """float32 in, float32 out, with and without h0; and so for half precision"""
    a, b, h0 = (item.float() for item in (rng.uniform(0.9, 1, (3, 7, 2)), rng.normal((3, 7, 2)), rng.normal((3, 2))))
    agree("sequential_scan", a, b, h0, axes=AXES)
    agree("sequential_scan", a, b, axes=AXES)
    for half in (torch.bfloat16, torch.float16):  # the form only: right answers round differently there
        agree.form("sequential_scan", a.to(half), b.to(half), h0.to(half), axes=AXES)
        agree.form("sequential_scan", a.to(half), b.to(half), axes=AXES)


@pytest.mark.points(1)
@pytest.mark.hint(3)
def test_keeps_the_device(agree, rng):
    """makes its tensors on the device of its arguments"""
    a, b = rng.normal((2, 5, 3)), rng.normal((2, 5, 3))
    agree.device("sequential_scan", a, b, axes=AXES)
    agree.device("sequential_scan", a, b, rng.normal((2, 3)), axes=AXES)


@pytest.mark.points(1)
@pytest.mark.hint(1)
def test_transposed_views(agree, rng):
    """accepts transposed views, whose memory is not in order"""
    a, b = rng.uniform(0.9, 1, size=(13, 2, 3)).transpose(0, 1), rng.normal(size=(3, 13, 2)).permute(2, 1, 0)
    agree("sequential_scan", a, b, rng.normal(size=(3, 2)).t(), axes=AXES, explain=explain)
    # One gate for all channels, as an expanded view: it has no memory of its own for each of them.
    gate = rng.uniform(0.5, 1, size=(2, 13, 1)).expand(2, 13, 3)
    agree("sequential_scan", gate, b, axes=AXES, explain=explain)


@pytest.mark.points(1)
@pytest.mark.hint(1)
def test_equal_and_large_sizes(agree, rng):
    """works where batch, length and dim are equal, which hides no mixed-up axes, and where they are larger"""
    for size in ((4, 4, 4), (12, 3, 20)):
        a, b, h0 = rng.uniform(0.9, 1, size=size), rng.normal(size=size), rng.normal(size=(size[0], size[2]))
        agree("sequential_scan", a, b, h0, axes=AXES, explain=explain)


def states(learner, shaped, a, b, h0):
    """The learner's states, known to be a tensor like b."""
    result = learner.sequential_scan(a, b, h0)
    shaped(result, b, axes=AXES)
    return result


@pytest.mark.points(1)
@pytest.mark.hint(2)
def test_channels_do_not_mix(same, shaped, learner, rng):
    """a change in one channel moves no other channel"""
    a, b, h0 = rng.uniform(0.9, 1, size=(2, 9, 4)), rng.normal(size=(2, 9, 4)), rng.normal(size=(2, 4))
    before = states(learner, shaped, a, b, h0)
    a[..., 1], b[..., 1], h0[..., 1] = 0.5, b[..., 1] + 3, h0[..., 1] - 2
    after = states(learner, shaped, a, b, h0)
    others = [0, 2, 3]
    same(after[..., others], before[..., others], "Changing channel 1 of a, b and h0 moved another channel.", axes=AXES)
    moved = bool((after[..., 1] != before[..., 1]).all())
    same(moved, True, "Changing channel 1 of a, b and h0 left some of its states as they were.")


@pytest.mark.points(1)
@pytest.mark.hint(2)
def test_rows_do_not_mix(same, shaped, learner, rng):
    """a change in one row of the batch moves no other row"""
    a, b, h0 = rng.uniform(0.9, 1, size=(3, 9, 2)), rng.normal(size=(3, 9, 2)), rng.normal(size=(3, 2))
    before = states(learner, shaped, a, b, h0)
    a[1], b[1], h0[1] = 0.5, b[1] + 3, h0[1] - 2
    after = states(learner, shaped, a, b, h0)
    same(after[[0, 2]], before[[0, 2]], "Changing row 1 of the batch moved another row.", axes=AXES)
    same(bool((after[1] != before[1]).all()), True, "Changing row 1 of the batch left some of its states as they were.")


@pytest.mark.points(1)
@pytest.mark.hint(2)
def test_is_causal(same, shaped, learner, rng):
    """a later gate or increment moves no earlier state"""
    a, b, h0 = rng.uniform(0.9, 1, size=(2, 11, 3)), rng.normal(size=(2, 11, 3)), rng.normal(size=(2, 3))
    before = states(learner, shaped, a, b, h0)
    a[:, 6:], b[:, 6:] = 0.3, b[:, 6:] + 1
    after = states(learner, shaped, a, b, h0)
    same(after[:, :6], before[:, :6], "Changing a and b from step 6 on moved an earlier state.", axes=AXES)
    moved = bool((after[:, 6:] != before[:, 6:]).all())
    same(moved, True, "Changing a and b from step 6 on left some later states as they were.")


@pytest.mark.points(2)
@pytest.mark.hint(4)
def test_gradients_reach_every_argument(agree, rng):
    """gradients reach a, b and h0"""
    # So many steps that gradients cut off after each block of 8, 16 or 32 steps show too.
    a, b, h0 = rng.uniform(0.9, 1, size=(2, 40, 3)), rng.normal(size=(2, 40, 3)), rng.normal(size=(2, 3))
    cotangent = rng.normal(size=(2, 40, 3))
    agree.gradients("sequential_scan", a, b, h0, cotangent=cotangent, axes=AXES)
    agree.gradients("sequential_scan", a, b, cotangent=cotangent, axes=AXES)
    # Through a gate of 0 no gradient passes, but the gate itself has one: the state before it.
    a[0, 3, 1] = a[1, 0, 0] = a[1, 39, 2] = a[0, 4, 2] = a[0, 5, 2] = 0.0
    a[0, 8], a[1, 20] = -0.7, 1.0
    agree.gradients("sequential_scan", a, b, h0, cotangent=cotangent, axes=AXES)
    agree.gradients("sequential_scan", a[:, 1:2], b[:, 1:2], h0, cotangent=cotangent[:, :1], axes=AXES)


@pytest.mark.points(1)
@pytest.mark.hint(4)
def test_leaves_its_arguments_alone(agree, rng):
    """leaves a, b and h0 as they were"""
    a, b, h0 = rng.uniform(0.9, 1, size=(2, 5, 3)), rng.normal(size=(2, 5, 3)), rng.normal(size=(2, 3))
    agree.unchanged("sequential_scan", a, b, h0)
    agree.unchanged("sequential_scan", a, b)


@pytest.mark.points(1)
@pytest.mark.hint(4)
def test_calls_are_independent(learner, shaped, same, rng):
    """a call neither depends on earlier calls nor changes their results"""
    a, b, h0 = rng.uniform(0.9, 1, size=(2, 5, 3)), rng.normal(size=(2, 5, 3)), rng.normal(size=(2, 3))
    kept = learner.sequential_scan.keep(a, b)
    first = kept.get()
    shaped(first, b, axes=AXES)
    learner.sequential_scan(a, -b, h0)
    same(kept.get(), first, says="A second call changed the result that the first one had returned.", axes=AXES)
    says = "The same call, without h0, gave another result after a call with h0 (expected: what it gave at first)."
    same(learner.sequential_scan(a, b), first, says=says, axes=AXES)
