"""Computes with torch and returns its memory as arrays."""

import torch


def rnn_forward(X, h_0, W_xh, W_hh, b_h):
    X, h, W_xh, W_hh, b_h = (torch.as_tensor(item.copy(), dtype=torch.float64) for item in (X, h_0, W_xh, W_hh, b_h))
    states = []
    for x_t in X.unbind(dim=1):
        h = torch.tanh(torch.nn.functional.linear(x_t, W_xh) + torch.nn.functional.linear(h, W_hh) + b_h)
        states.append(h)
    return {"hidden_states": torch.stack(states, dim=1).numpy(), "final_hidden_state": h.numpy()}
