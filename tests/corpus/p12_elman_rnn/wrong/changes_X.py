"""Centres X in place and adds the mean again as a bias: the states are right, X is not what it was."""

import numpy as np


def rnn_forward(X, h_0, W_xh, W_hh, b_h):
    h, states = h_0.astype(float), []
    mean = X.mean(axis=1, keepdims=True)
    X[...] = X - mean
    for t in range(X.shape[1]):
        h = np.tanh((X[:, t] + mean[:, 0]) @ W_xh.T + h @ W_hh.T + b_h)
        states.append(h)
    return {"hidden_states": np.stack(states, axis=1), "final_hidden_state": h}
