"""A torch.autograd.Function with the backward pass written by hand."""

import torch


class Scan(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, h0):
        states = torch.empty_like(b)
        h = h0
        for t in range(a.shape[1]):
            h = a[:, t] * h + b[:, t]
            states[:, t] = h
        ctx.save_for_backward(a, states, h0)
        return states

    @staticmethod
    def backward(ctx, grad):
        a, states, h0 = ctx.saved_tensors
        grad_a, grad_b = torch.empty_like(a), torch.empty_like(a)
        carry = torch.zeros_like(h0)
        for t in reversed(range(a.shape[1])):
            carry = carry + grad[:, t]
            grad_b[:, t] = carry
            grad_a[:, t] = carry * (states[:, t - 1] if t else h0)
            carry = carry * a[:, t]
        return grad_a, grad_b, carry


def sequential_scan(a, b, h0=None):
    return Scan.apply(a, b, torch.zeros_like(a[:, 0]) if h0 is None else h0)
