"""Known-wrong layers. Each stands for the solution with `GatedLinearRecurrentLayer` replaced by it."""

import torch

from workbook.pitfalls import pitfall


@pitfall("starts forward from zeros and ignores h0", replaces="GatedLinearRecurrentLayer")
class ForwardIgnoresH0(GatedLinearRecurrentLayer):
    def forward(self, x, h0):
        return super().forward(x, torch.zeros_like(h0))


@pitfall("never carries the state: every step starts from h0 again", replaces="GatedLinearRecurrentLayer")
class StateNotCarried(GatedLinearRecurrentLayer):
    def forward(self, x, h0):
        return torch.stack([self.step(x[:, t], h0) for t in range(x.shape[1])], dim=1)


@pitfall(
    "writes forward as a second implementation, which does not call step and can drift from it",
    replaces="GatedLinearRecurrentLayer",
    check="test_forward_goes_through_step",
)
class SecondImplementation(GatedLinearRecurrentLayer):
    def forward(self, x, h0):
        # The recurrence in closed form: right on paper, other in the last bits, useless once a product underflows.
        products = torch.sigmoid(x @ self.W_a).cumprod(dim=1)
        return products * (h0[:, None] + (x @ self.W_b / products).cumsum(dim=1))


@pitfall("keeps the state on self, so that two streams on one layer mix", replaces="GatedLinearRecurrentLayer")
class StateOnSelf(GatedLinearRecurrentLayer):
    state = None

    def step(self, x_t, h_prev):
        if self.state is None:
            self.state = h_prev
        self.state = super().step(x_t, self.state)
        return self.state

    def forward(self, x, h0):
        self.state = h0
        return super().forward(x, h0)


@pitfall("changes h_prev in place, so that all states are one tensor", replaces="GatedLinearRecurrentLayer")
class StepInPlace(GatedLinearRecurrentLayer):
    def step(self, x_t, h_prev):
        return h_prev.mul_(torch.sigmoid(x_t @ self.W_a)).add_(x_t @ self.W_b)


@pitfall("uses x_t @ W_a as the gate, without the sigmoid", replaces="GatedLinearRecurrentLayer")
class NoSigmoid(GatedLinearRecurrentLayer):
    def step(self, x_t, h_prev):
        return x_t @ self.W_a * h_prev + x_t @ self.W_b


@pitfall("swaps the two weights: the gate from W_b, the increment from W_a", replaces="GatedLinearRecurrentLayer")
class WeightsSwapped(GatedLinearRecurrentLayer):
    def step(self, x_t, h_prev):
        return torch.sigmoid(x_t @ self.W_b) * h_prev + x_t @ self.W_a


@pitfall("blends old and new, a * h + (1 - a) * b, where the task adds b in full", replaces="GatedLinearRecurrentLayer")
class ConvexBlend(GatedLinearRecurrentLayer):
    def step(self, x_t, h_prev):
        a_t = torch.sigmoid(x_t @ self.W_a)
        return a_t * h_prev + (1 - a_t) * (x_t @ self.W_b)


@pitfall("lets the gate scale the increment too: a * (h + b)", replaces="GatedLinearRecurrentLayer")
class GateScalesIncrement(GatedLinearRecurrentLayer):
    def step(self, x_t, h_prev):
        return torch.sigmoid(x_t @ self.W_a) * (h_prev + x_t @ self.W_b)


@pitfall("returns only the last state from forward", replaces="GatedLinearRecurrentLayer")
class LastStateOnly(GatedLinearRecurrentLayer):
    def forward(self, x, h0):
        return super().forward(x, h0)[:, -1]


@pitfall("stores the state before the update in forward, one step late", replaces="GatedLinearRecurrentLayer")
class OneStepLate(GatedLinearRecurrentLayer):
    def forward(self, x, h0):
        h, states = h0, []
        for t in range(x.shape[1]):
            states.append(h)
            h = self.step(x[:, t], h)
        return torch.stack(states, dim=1)


@pitfall("stacks the states of forward time-first (dim 0 in place of dim 1)", replaces="GatedLinearRecurrentLayer")
class TimeFirst(GatedLinearRecurrentLayer):
    def forward(self, x, h0):
        return super().forward(x, h0).transpose(0, 1)


@pitfall(
    "cuts the history off with detach, so that gradients stop after one step",
    replaces="GatedLinearRecurrentLayer",
    check="test_gradients_reach_every_argument",
)
class DetachedHistory(GatedLinearRecurrentLayer):
    def step(self, x_t, h_prev):
        return super().step(x_t, h_prev.detach())


@pitfall(
    "makes new parameters of W_a and W_b, so that gradients do not reach the tensors passed in",
    replaces="GatedLinearRecurrentLayer",
    check="test_gradients_reach_every_argument",
)
class NewParameters(GatedLinearRecurrentLayer):
    def __init__(self, W_a, W_b):
        super().__init__(torch.nn.Parameter(W_a), torch.nn.Parameter(W_b))
