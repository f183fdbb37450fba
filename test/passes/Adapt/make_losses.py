"""Prints PyTorch's losses and their gradients: the numbers in test/passes/Adapt/losses_test.cpp. Computed in float64 from
inputs that float32 holds exactly.

Run with any Python that has torch: python make_losses.py
"""
import torch
import torch.nn.functional as F


def values(shape, start=0):
    """Multiples of 1/8 from -2 to 2, in an order without a pattern."""
    count = torch.Size(shape).numel()
    return torch.tensor([((7 * i + start) % 33 - 16) / 8 for i in range(count)], dtype=torch.float64).reshape(shape)


def report(name, scores, loss):
    scores.requires_grad_()
    value = loss(scores)
    value.backward()
    numbers = ", ".join(f"{x:.12g}" for x in scores.grad.flatten().tolist())
    print(f"{name}\n  {value.item():.12g}\n  {numbers}")


labels = torch.tensor([2, -100, 0, 1])
report("plain", values((4, 3)), lambda x: F.cross_entropy(x, labels))
report("smoothed", values((4, 3)), lambda x: F.cross_entropy(x, labels, label_smoothing=0.1))
report("ignore_zero", values((4, 3)), lambda x: F.cross_entropy(x, torch.tensor([2, 2, 0, 1]), ignore_index=0))
tokens = torch.tensor([[1, 0], [2, -100]])
report("tokens", values((2, 2, 3)), lambda x: F.cross_entropy(x.reshape(4, 3), tokens.reshape(4)))
pixels = torch.tensor([[[0, 1], [2, -100]]])
report("pixels", values((1, 3, 2, 2)), lambda x: F.cross_entropy(x, pixels))
targets = torch.tensor([[0.0, 1.0, 0.25], [1.0, 0.5, 0.0]], dtype=torch.float64)
report("from_logits", values((2, 3)), lambda x: F.binary_cross_entropy_with_logits(x, targets))
report("from_probabilities", (values((2, 3)) + 2.125) / 4.25, lambda x: F.binary_cross_entropy(x, targets))
ends = torch.tensor([0.0, 1.0, 0.0, 1.0], dtype=torch.float64)
print("saturated", F.binary_cross_entropy(ends, torch.tensor([0.0, 1.0, 1.0, 0.5], dtype=torch.float64)).item())
report("mse", values((2, 3)), lambda x: F.mse_loss(x, targets))
report("l1", values((2, 3)), lambda x: F.l1_loss(x, targets))
