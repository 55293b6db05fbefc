"""Its own backward multiplies by the state after the step where the one before it belongs."""

import torch


class Scan(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, h0):
        states = torch.empty_like(b)
        h = h0
        for t in range(a.shape[1]):
            h = a[:, t] * h + b[:, t]
            states[:, t] = h
        ctx.save_for_backward(a, states)
        return states

    @staticmethod
    def backward(ctx, grad):
        a, states = ctx.saved_tensors
        grad_b = torch.empty_like(a)
        carry = torch.zeros_like(a[:, 0])
        for t in reversed(range(a.shape[1])):
            carry = carry + grad[:, t]
            grad_b[:, t] = carry
            carry = carry * a[:, t]
        return grad_b * states, grad_b, carry


def sequential_scan(a, b, h0=None):
    return Scan.apply(a, b, torch.zeros_like(a[:, 0]) if h0 is None else h0)
