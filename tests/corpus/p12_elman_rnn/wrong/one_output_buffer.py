"""Every call of the same sizes fills the same array, so that an earlier result changes with the next call."""

import numpy as np

buffers = {}


def rnn_forward(X, h_0, W_xh, W_hh, b_h):
    shape = (*X.shape[:2], len(b_h))
    states = buffers.setdefault(shape, np.empty(shape))
    h = h_0
    for t in range(X.shape[1]):
        h = states[:, t] = np.tanh(X[:, t] @ W_xh.T + h @ W_hh.T + b_h)
    return {"hidden_states": states, "final_hidden_state": h}
