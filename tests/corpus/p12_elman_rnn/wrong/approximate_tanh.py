"""Approximates tanh by a quotient of polynomials, good to four places."""

import numpy as np


def tanh(z):
    z = np.clip(z, -4.97, 4.97)
    square = z * z
    above = z * (135135 + square * (17325 + square * (378 + square)))
    return above / (135135 + square * (62370 + square * (3150 + square * 28)))


def rnn_forward(X, h_0, W_xh, W_hh, b_h):
    h, states = h_0.astype(float), []
    for t in range(X.shape[1]):
        h = tanh(X[:, t] @ W_xh.T + h @ W_hh.T + b_h)
        states.append(h)
    return {"hidden_states": np.stack(states, axis=1), "final_hidden_state": h}
