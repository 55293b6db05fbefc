"""Returns an OrderedDict with the final state first."""

from collections import OrderedDict

import numpy as np


def rnn_forward(X, h_0, W_xh, W_hh, b_h):
    h = h_0.astype(np.float64)
    states = []
    for t in range(X.shape[1]):
        h = np.tanh(np.dot(X[:, t, :], W_xh.T) + np.dot(h, W_hh.T) + b_h[np.newaxis, :])
        states.append(h)
    result = OrderedDict()
    result["final_hidden_state"] = h
    result["hidden_states"] = np.concatenate([state[:, None] for state in states], axis=1)
    return result
