"""Keeps the state in a class of its own and updates it in place, storing copies."""

import numpy as np


class Cell:
    def __init__(self, state, *parameters):
        self.state = np.array(state, dtype=np.float64)
        self.W_xh, self.W_hh, self.b_h = parameters

    def __call__(self, x_t):
        self.state[...] = np.tanh(x_t @ self.W_xh.T + self.state @ self.W_hh.T + self.b_h)
        return self.state.copy()


def rnn_forward(X, h_0, W_xh, W_hh, b_h):
    cell = Cell(h_0, W_xh, W_hh, b_h)
    states = [cell(X[:, t]) for t in range(X.shape[1])]
    return {"hidden_states": np.stack(states, axis=1), "final_hidden_state": cell.state}
