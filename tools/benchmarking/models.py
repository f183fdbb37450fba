"""The workloads' models in PyTorch."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttention(nn.Module):
    """Causal attention with as many or fewer key heads than query heads, and rotary positions when given."""

    def __init__(self, width, heads, key_heads, bias):
        super().__init__()
        self.heads, self.key_heads, self.size = heads, key_heads, width // heads
        self.query = nn.Linear(width, width, bias)
        self.key = nn.Linear(width, key_heads * self.size, bias)
        self.value = nn.Linear(width, key_heads * self.size, bias)
        self.output = nn.Linear(width, width, bias)

    def split(self, x, heads):
        return x.unflatten(-1, (heads, self.size)).transpose(1, 2)

    def repeat(self, x):
        groups = self.heads // self.key_heads
        return x if groups == 1 else x.unsqueeze(2).expand(-1, -1, groups, -1, -1).flatten(1, 2)

    def forward(self, x, rotary=None):
        q = self.split(self.query(x), self.heads)
        k = self.split(self.key(x), self.key_heads)
        v = self.split(self.value(x), self.key_heads)
        if rotary is not None:
            q, k = rotate(q, *rotary), rotate(k, *rotary)
        y = F.scaled_dot_product_attention(q, self.repeat(k), self.repeat(v), is_causal=True)
        return self.output(y.transpose(1, 2).flatten(2))


def rotate(x, cosine, sine):
    """Rotary position embedding (Su et al. 2021), halves paired as Llama pairs them."""
    first, second = x.chunk(2, -1)
    return x * cosine + torch.cat((-second, first), -1) * sine


class GPTBlock(nn.Module):
    def __init__(self, w):
        super().__init__()
        self.norm_1, self.norm_2 = nn.LayerNorm(w.width), nn.LayerNorm(w.width)
        self.attention = SelfAttention(w.width, w.heads, w.heads, bias=True)
        self.expand, self.contract = nn.Linear(w.width, w.hidden), nn.Linear(w.hidden, w.width)

    def forward(self, x):
        x = x + self.attention(self.norm_1(x))
        return x + self.contract(F.gelu(self.expand(self.norm_2(x)), approximate="tanh"))


class GPT(nn.Module):
    """GPT-2: learned positions, norms before the layers, the output matrix tied to the embedding."""

    def __init__(self, w):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(w.classes, w.width), nn.Embedding(w.positions, w.width)
        self.blocks = nn.ModuleList(GPTBlock(w) for _ in range(w.layers))
        self.norm = nn.LayerNorm(w.width)

    def forward(self, ids):
        x = self.tokens(ids) + self.positions(torch.arange(ids.shape[1]))
        for block in self.blocks:
            x = block(x)
        return F.linear(self.norm(x), self.tokens.weight)


class RMSNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-5) * self.weight


class LlamaBlock(nn.Module):
    def __init__(self, w):
        super().__init__()
        self.norm_1, self.norm_2 = RMSNorm(w.width), RMSNorm(w.width)
        self.attention = SelfAttention(w.width, w.heads, w.key_heads, bias=False)
        self.gate = nn.Linear(w.width, w.hidden, bias=False)
        self.up = nn.Linear(w.width, w.hidden, bias=False)
        self.down = nn.Linear(w.hidden, w.width, bias=False)

    def forward(self, x, rotary):
        x = x + self.attention(self.norm_1(x), rotary)
        y = self.norm_2(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Llama(nn.Module):
    def __init__(self, w):
        super().__init__()
        self.tokens, self.head = nn.Embedding(w.classes, w.width), nn.Linear(w.width, w.classes, bias=False)
        self.blocks = nn.ModuleList(LlamaBlock(w) for _ in range(w.layers))
        self.norm = RMSNorm(w.width)
        size = w.width // w.heads
        angle = torch.outer(torch.arange(w.sequence), 10000.0 ** (-torch.arange(0, size, 2) / size)).repeat(1, 2)
        self.register_buffer("cosine", angle.cos(), persistent=False)
        self.register_buffer("sine", angle.sin(), persistent=False)

    def forward(self, ids):
        x = self.tokens(ids)
        for block in self.blocks:
            x = block(x, (self.cosine, self.sine))
        return self.head(self.norm(x))


class ResidualBlock(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.main = nn.Sequential(
            nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(),
            nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm2d(outputs))
        self.skip = nn.Identity() if stride == 1 and inputs == outputs else nn.Sequential(
            nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        return F.relu(self.main(x) + self.skip(x))


class ResNet18(nn.Module):
    """He et al. 2015, table 1, the column of 18 layers."""

    def __init__(self, w):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(),
                                  nn.MaxPool2d(3, 2, 1))
        sizes = [(64, 64, 1), (64, 64, 1), (64, 128, 2), (128, 128, 1), (128, 256, 2), (256, 256, 1), (256, 512, 2),
                 (512, 512, 1)]
        self.blocks = nn.Sequential(*(ResidualBlock(*size) for size in sizes))
        self.head = nn.Linear(512, w.classes)

    def forward(self, x):
        return self.head(F.adaptive_avg_pool2d(self.blocks(self.stem(x)), 1).flatten(1))


def build(workload):
    """The model with seeded values; no two parameters are equal, since exporters keep one initializer for equal ones."""
    torch.manual_seed(5)
    if workload.kind == "mlp":
        model = nn.Sequential(nn.Linear(workload.width, workload.hidden), nn.ReLU(),
                              nn.Linear(workload.hidden, workload.hidden), nn.ReLU(),
                              nn.Linear(workload.hidden, workload.classes))
    else:
        model = {"gpt": GPT, "llama": Llama, "resnet": ResNet18}[workload.kind](workload)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() == 1:
                parameter.add_(0.01 * torch.randn_like(parameter))
            elif workload.sequence:
                parameter.normal_(0, 0.02)
        for module in model.modules():
            if isinstance(module, nn.BatchNorm2d):
                module.running_mean.normal_(0, 0.01)
                module.running_var.uniform_(0.99, 1.01)
    return model.train()
