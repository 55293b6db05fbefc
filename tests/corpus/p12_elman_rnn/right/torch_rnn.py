"""Lets torch.nn.RNN do it, with the weights copied in and a second bias of zero."""

import torch


def rnn_forward(X, h_0, W_xh, W_hh, b_h):
    rnn = torch.nn.RNN(W_xh.shape[1], W_xh.shape[0], batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        for name, value in (("weight_ih_l0", W_xh), ("weight_hh_l0", W_hh), ("bias_ih_l0", b_h)):
            getattr(rnn, name).copy_(torch.from_numpy(value.copy()))
        rnn.bias_hh_l0.zero_()
        x, h = (torch.from_numpy(item.astype("float64")) for item in (X, h_0))
        outputs, final = rnn(x, h[None])
    return {"hidden_states": outputs.numpy(), "final_hidden_state": final[0].numpy()}
