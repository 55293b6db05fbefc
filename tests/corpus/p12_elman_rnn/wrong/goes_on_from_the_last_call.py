"""Keeps the last state between calls and starts from it where h_0 is zero."""

import numpy as np

last = {}


def rnn_forward(X, h_0, W_xh, W_hh, b_h):
    h, states = h_0.astype(float), []
    if not h_0.any() and h_0.shape in last:
        h = last[h_0.shape]
    for t in range(X.shape[1]):
        h = np.tanh(X[:, t] @ W_xh.T + h @ W_hh.T + b_h)
        states.append(h)
    last[h_0.shape] = h
    return {"hidden_states": np.stack(states, axis=1), "final_hidden_state": h}
