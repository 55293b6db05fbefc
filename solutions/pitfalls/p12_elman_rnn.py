"""Known-wrong networks. Each stands for the solution with `rnn_forward` replaced by it."""

import numpy as np

from workbook.pitfalls import pitfall


def update(x_t, h, W_xh, W_hh, b_h):
    return np.tanh(x_t @ W_xh.T + h @ W_hh.T + b_h)


def run(X, h_0, advance):
    """The right loop around `advance(x_t, h)`, which may be wrong."""
    h, states = np.array(h_0, dtype=np.float64), []
    for step in range(X.shape[1]):
        h = advance(np.asarray(X[:, step], dtype=np.float64), h)
        states.append(h)
    return states


def packed(states):
    return {"hidden_states": np.stack(states, axis=1), "final_hidden_state": states[-1]}


@pitfall("ignores h_0 and starts from zeros", replaces="rnn_forward")
def ignores_h_0(X, h_0, W_xh, W_hh, b_h):
    return packed(run(X, np.zeros(h_0.shape), lambda x_t, h: update(x_t, h, W_xh, W_hh, b_h)))


@pitfall("runs through the sequence backwards in time", replaces="rnn_forward")
def backwards_in_time(X, h_0, W_xh, W_hh, b_h):
    return packed(run(X[:, ::-1], h_0, lambda x_t, h: update(x_t, h, W_xh, W_hh, b_h)))


@pitfall("does not collect the states on the way: hidden_states holds only the last", replaces="rnn_forward")
def states_not_collected(X, h_0, W_xh, W_hh, b_h):
    states = run(X, h_0, lambda x_t, h: update(x_t, h, W_xh, W_hh, b_h))
    return {"hidden_states": states[-1], "final_hidden_state": states[-1]}


@pitfall("never updates the state before: every step starts from h_0 again", replaces="rnn_forward")
def h_0_reused(X, h_0, W_xh, W_hh, b_h):
    return packed(run(X, h_0, lambda x_t, h: update(x_t, h_0, W_xh, W_hh, b_h)))


@pitfall("appends one buffer and changes it in place, so that every step shows the last state", replaces="rnn_forward")
def one_buffer(X, h_0, W_xh, W_hh, b_h):
    def advance(x_t, h):
        h[...] = update(x_t, h, W_xh, W_hh, b_h)
        return h

    return packed(run(X, h_0, advance))


@pitfall("stacks the states on axis 0, time first", replaces="rnn_forward")
def stacked_on_axis_0(X, h_0, W_xh, W_hh, b_h):
    states = run(X, h_0, lambda x_t, h: update(x_t, h, W_xh, W_hh, b_h))
    return {"hidden_states": np.stack(states, axis=0), "final_hidden_state": states[-1]}


@pitfall("leaves final_hidden_state out of the dict", replaces="rnn_forward")
def final_state_missing(X, h_0, W_xh, W_hh, b_h):
    return {"hidden_states": np.stack(run(X, h_0, lambda x_t, h: update(x_t, h, W_xh, W_hh, b_h)), axis=1)}


@pitfall("gives the last state another key than final_hidden_state", replaces="rnn_forward")
def another_key(X, h_0, W_xh, W_hh, b_h):
    states = run(X, h_0, lambda x_t, h: update(x_t, h, W_xh, W_hh, b_h))
    return {"hidden_states": np.stack(states, axis=1), "final_state": states[-1]}


@pitfall("returns the first state as the final one", replaces="rnn_forward")
def first_state_as_final(X, h_0, W_xh, W_hh, b_h):
    states = run(X, h_0, lambda x_t, h: update(x_t, h, W_xh, W_hh, b_h))
    return {"hidden_states": np.stack(states, axis=1), "final_hidden_state": states[0]}


@pitfall("includes h_0 in hidden_states (one state too many)", replaces="rnn_forward")
def includes_h_0(X, h_0, W_xh, W_hh, b_h):
    return packed([h_0, *run(X, h_0, lambda x_t, h: update(x_t, h, W_xh, W_hh, b_h))])


@pitfall("does not transpose W_hh", replaces="rnn_forward")
def W_hh_not_transposed(X, h_0, W_xh, W_hh, b_h):
    return packed(run(X, h_0, lambda x_t, h: update(x_t, h, W_xh, W_hh.T, b_h)))


@pitfall("does not transpose W_xh", replaces="rnn_forward")
def W_xh_not_transposed(X, h_0, W_xh, W_hh, b_h):
    return packed(run(X, h_0, lambda x_t, h: update(x_t, h, W_xh.T, W_hh, b_h)))


@pitfall("transposes neither W_xh nor W_hh", replaces="rnn_forward")
def neither_transposed(X, h_0, W_xh, W_hh, b_h):
    return packed(run(X, h_0, lambda x_t, h: update(x_t, h, W_xh.T, W_hh.T, b_h)))


@pitfall("reshapes W_xh to (D, H), which mixes its entries, where it is to be transposed", replaces="rnn_forward")
def W_xh_reshaped(X, h_0, W_xh, W_hh, b_h):
    reshaped = W_xh.reshape(W_xh.shape[::-1])
    return packed(run(X, h_0, lambda x_t, h: update(x_t, h, reshaped.T, W_hh, b_h)))


@pitfall("leaves the bias out", replaces="rnn_forward")
def bias_dropped(X, h_0, W_xh, W_hh, b_h):
    return packed(run(X, h_0, lambda x_t, h: update(x_t, h, W_xh, W_hh, 0.0)))


@pitfall("adds the bias after the tanh", replaces="rnn_forward")
def bias_after_tanh(X, h_0, W_xh, W_hh, b_h):
    return packed(run(X, h_0, lambda x_t, h: update(x_t, h, W_xh, W_hh, 0.0) + b_h))


@pitfall("leaves the tanh out", replaces="rnn_forward")
def no_tanh(X, h_0, W_xh, W_hh, b_h):
    return packed(run(X, h_0, lambda x_t, h: x_t @ W_xh.T + h @ W_hh.T + b_h))


@pitfall("uses the logistic sigmoid in place of tanh", replaces="rnn_forward")
def sigmoid(X, h_0, W_xh, W_hh, b_h):
    # 1 / (1 + exp(-z)), in the form that does not overflow
    return packed(run(X, h_0, lambda x_t, h: (1 + update(x_t / 2, h / 2, W_xh, W_hh, b_h / 2)) / 2))


@pitfall("returns float32", replaces="rnn_forward")
def float32_result(X, h_0, W_xh, W_hh, b_h):
    return packed([state.astype(np.float32) for state in run(X, h_0, lambda x_t, h: update(x_t, h, W_xh, W_hh, b_h))])


@pitfall("rounds the states to three places", replaces="rnn_forward")
def rounded(X, h_0, W_xh, W_hh, b_h):
    return packed([state.round(3) for state in run(X, h_0, lambda x_t, h: update(x_t, h, W_xh, W_hh, b_h))])


@pitfall("stores the states in an array of h_0's dtype, which cuts them to whole numbers", replaces="rnn_forward")
def dtype_of_h_0(X, h_0, W_xh, W_hh, b_h):
    states = run(X, h_0, lambda x_t, h: update(x_t, h, W_xh, W_hh, b_h))
    return packed([state.astype(h_0.dtype) for state in states])


@pitfall("changes h_0 in place", replaces="rnn_forward")
def h_0_in_place(X, h_0, W_xh, W_hh, b_h):
    states = run(X, h_0, lambda x_t, h: update(x_t, h, W_xh, W_hh, b_h))
    h_0[...] = states[-1]
    return packed(states)
