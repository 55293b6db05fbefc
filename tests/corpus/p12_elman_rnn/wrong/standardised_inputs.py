"""Standardises every sequence over time before it runs."""

import numpy as np


def rnn_forward(X, h_0, W_xh, W_hh, b_h):
    X = (X - X.mean(axis=1, keepdims=True)) / (X.std(axis=1, keepdims=True) + 1e-8)
    h, states = h_0.astype(float), []
    for t in range(X.shape[1]):
        h = np.tanh(X[:, t] @ W_xh.T + h @ W_hh.T + b_h)
        states.append(h)
    return {"hidden_states": np.stack(states, axis=1), "final_hidden_state": h}
