"""Stores the states in an array of X's dtype, which cuts them to whole numbers where X holds integers."""

import numpy as np


def rnn_forward(X, h_0, W_xh, W_hh, b_h):
    out = np.zeros((X.shape[0], X.shape[1], len(b_h)), dtype=X.dtype)
    h = h_0
    for t in range(X.shape[1]):
        h = np.tanh(X[:, t] @ W_xh.T + h @ W_hh.T + b_h)
        out[:, t] = h
    return {"hidden_states": out, "final_hidden_state": h}
