"""Starts every row from the first row of h_0."""

import numpy as np


def rnn_forward(X, h_0, W_xh, W_hh, b_h):
    h, states = np.repeat(h_0[:1].astype(float), len(X), axis=0), []
    for t in range(X.shape[1]):
        h = np.tanh(X[:, t] @ W_xh.T + h @ W_hh.T + b_h)
        states.append(h)
    return {"hidden_states": np.stack(states, axis=1), "final_hidden_state": h}
