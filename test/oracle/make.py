"""Makes the oracle folders: small PyTorch models, their ONNX exports, one batch, and what PyTorch computes from it.

usage: python make.py OUT [--only name,name]
needs: torch 2.15, transformers 5.24, onnx 1.23, onnxscript 0.7, numpy
Every figure comes from PyTorch; gradients and final parameters from a float64 run, losses from both float32 and float64.
"""
import argparse, contextlib, copy, io, json, logging, os, warnings
os.environ.setdefault("HF_HUB_OFFLINE", "1")
warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)
import numpy as np
import onnx
import torch
import torch.nn as nn
import torch.nn.functional as F
import transformers as tr

torch.set_num_threads(2)
STEPS = 20        # optimizer steps to the stored final parameters
LOSS_STEPS = 50   # optimizer steps whose losses are stored


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(64, 48), nn.ReLU(), nn.Linear(48, 32), nn.GELU(), nn.LayerNorm(32), nn.Linear(32, 10))

    def forward(self, x):
        return self.net(x)


class CNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(8)
        self.conv2 = nn.Conv2d(8, 16, 3, stride=2, padding=1)
        self.norm2 = nn.BatchNorm2d(16)
        self.depthwise = nn.Conv2d(16, 16, 3, padding=1, groups=16)
        self.head = nn.Linear(16, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.norm1(self.conv1(x))), 2)
        x = F.hardswish(self.depthwise(F.relu(self.norm2(self.conv2(x)))))
        return self.head(F.adaptive_avg_pool2d(x, 1).flatten(1))


class Block(nn.Module):
    def __init__(self, cin, cout, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(cin, cout, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(cout)
        self.conv2 = nn.Conv2d(cout, cout, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(cout)
        self.skip = nn.Sequential(nn.Conv2d(cin, cout, 1, stride, bias=False), nn.BatchNorm2d(cout)) if stride != 1 or cin != cout else nn.Identity()

    def forward(self, x):
        y = F.relu(self.norm1(self.conv1(x)))
        return F.relu(self.norm2(self.conv2(y)) + self.skip(x))


class ResNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 16, 7, 2, 3, bias=False), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(3, 2, 1))
        self.blocks = nn.Sequential(Block(16, 16, 1), Block(16, 32, 2), Block(32, 64, 2))
        self.head = nn.Linear(64, 10)

    def forward(self, x):
        return self.head(self.blocks(self.stem(x)).mean((2, 3)))


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(64, 32)
        self.lstm = nn.LSTM(32, 32, 2, batch_first=True, bidirectional=True)
        self.gru = nn.GRU(64, 32, batch_first=True)
        self.head = nn.Linear(32, 4)

    def forward(self, x):
        return self.head(self.gru(self.lstm(self.embed(x))[0])[0][:, -1])


class Unet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down1 = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.GroupNorm(4, 16), nn.SiLU())
        self.down2 = nn.Sequential(nn.Conv2d(16, 32, 3, stride=2, padding=1), nn.InstanceNorm2d(32, affine=True), nn.LeakyReLU(0.1))
        self.up = nn.ConvTranspose2d(32, 16, 4, stride=2, padding=1)
        self.out = nn.Conv2d(32, 5, 1)

    def forward(self, x):
        a = self.down1(x)
        b = F.interpolate(F.avg_pool2d(self.down2(a), 2), scale_factor=2, mode="bilinear", align_corners=False)
        return self.out(torch.cat([a, self.up(b)], 1)).permute(0, 2, 3, 1).reshape(-1, 5)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp = nn.Linear(16, 32)
        self.body = nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True), 2, enable_nested_tensor=False)
        self.head = nn.Linear(32, 4)

    def forward(self, x):
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1], dtype=x.dtype)
        return self.head(self.body(self.inp(x), mask=mask, is_causal=True))[:, -1]


class Logits(nn.Module):
    """A transformers model that takes tensors in order and returns its logits."""

    def __init__(self, model, names, **fixed):
        super().__init__()
        self.model, self.names, self.fixed = model, names, fixed

    def forward(self, *args):
        return self.model(**dict(zip(self.names, args)), **self.fixed).logits


def ids(b, t, v=256):
    return torch.randint(1, v, (b, t))


def padding(b, t):
    mask = torch.ones(b, t, dtype=torch.long)
    mask[-1, t - 3:] = 0
    return mask


def zero(**kw):
    return dict(kw, attention_dropout=0.0)


def gpt2(attn="sdpa"):
    return tr.GPT2LMHeadModel(tr.GPT2Config(n_layer=2, n_embd=64, n_head=4, vocab_size=250, n_positions=64, attn_pdrop=0.0, embd_pdrop=0.0, resid_pdrop=0.0, attn_implementation=attn))


def llama(attn="sdpa"):
    return tr.LlamaForCausalLM(tr.LlamaConfig(num_hidden_layers=2, hidden_size=64, intermediate_size=128, num_attention_heads=4, num_key_value_heads=2, vocab_size=256, max_position_embeddings=64, attn_implementation=attn))


def bert():
    return tr.BertForSequenceClassification(tr.BertConfig(num_hidden_layers=2, hidden_size=64, intermediate_size=128, num_attention_heads=4, vocab_size=256, max_position_embeddings=64, num_labels=3, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0))


def vit():
    return tr.ViTForImageClassification(tr.ViTConfig(num_hidden_layers=2, hidden_size=64, intermediate_size=128, num_attention_heads=4, image_size=32, patch_size=8, num_labels=10, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0))


def t5():
    return tr.T5ForConditionalGeneration(tr.T5Config(attn_implementation="eager", num_layers=2, num_decoder_layers=2, d_model=64, d_ff=128, d_kv=16, num_heads=4, vocab_size=256, decoder_start_token_id=0, dropout_rate=0.0))


def whisper():
    return tr.WhisperForConditionalGeneration(tr.WhisperConfig(encoder_layers=2, decoder_layers=2, d_model=64, encoder_ffn_dim=128, decoder_ffn_dim=128, encoder_attention_heads=4, decoder_attention_heads=4, vocab_size=256, num_mel_bins=16, max_source_positions=50, max_target_positions=32, pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1, dropout=0.0))


def mobilenet():
    from torchvision.models import mobilenet_v3_small
    m = mobilenet_v3_small(num_classes=10, width_mult=0.5)
    for d in m.modules():
        if isinstance(d, nn.Dropout):
            d.p = 0.0
    return m


def neox():
    return tr.GPTNeoXForCausalLM(tr.GPTNeoXConfig(num_hidden_layers=2, hidden_size=64, intermediate_size=128, num_attention_heads=4, vocab_size=256, max_position_embeddings=64, hidden_dropout=0.0, attention_dropout=0.0))


def tokens(model):
    return Logits(model, ["input_ids"], use_cache=False)


def masked(model, **kw):
    return Logits(model, ["input_ids", "attention_mask"], **kw)


# name: (builder, example inputs, input names, label shape, classes, optimizer, handed to developers)
MODELS = {
    "mlp": (MLP, lambda: (torch.randn(16, 64),), ["x"], (16,), 10, "adamw", True),
    "mlp_fresh": (MLP, lambda: (torch.randn(16, 64),), ["x"], (16,), 10, "adamw", True),
    "cnn": (CNN, lambda: (torch.randn(8, 1, 28, 28),), ["x"], (8,), 10, "momentum", True),
    "resnet": (ResNet, lambda: (torch.randn(4, 3, 64, 64),), ["x"], (4,), 10, "momentum", True),
    "recurrent": (Recurrent, lambda: (ids(4, 12, 64),), ["x"], (4,), 4, "adamw", True),
    "gpt2": (lambda: tokens(gpt2()), lambda: (ids(2, 24, 250),), ["input_ids"], (2, 24), 250, "adamw", True),
    "gpt2_fresh": (lambda: tokens(gpt2()), lambda: (ids(2, 24, 250),), ["input_ids"], (2, 24), 250, "adamw", True),
    "gpt2_eager": (lambda: tokens(gpt2("eager")), lambda: (ids(2, 24, 250),), ["input_ids"], (2, 24), 250, "adamw", True),
    "gpt2_mask": (lambda: masked(gpt2(), use_cache=False), lambda: (ids(2, 24, 250), padding(2, 24)), ["input_ids", "attention_mask"], (2, 24), 250, "adamw", True),
    "llama": (lambda: tokens(llama()), lambda: (ids(2, 24),), ["input_ids"], (2, 24), 256, "adamw", True),
    "llama_mask": (lambda: masked(llama(), use_cache=False), lambda: (ids(2, 24), padding(2, 24)), ["input_ids", "attention_mask"], (2, 24), 256, "adamw", True),
    "bert": (lambda: masked(bert()), lambda: (ids(4, 16), padding(4, 16)), ["input_ids", "attention_mask"], (4,), 3, "adamw", True),
    "vit": (lambda: Logits(vit(), ["pixel_values"]), lambda: (torch.randn(4, 3, 32, 32),), ["pixel_values"], (4,), 10, "adamw", True),
    "unet": (Unet, lambda: (torch.randn(2, 3, 16, 16),), ["x"], (2 * 16 * 16,), 5, "adamw", False),
    "encoder": (Encoder, lambda: (torch.randn(4, 12, 16),), ["x"], (4,), 4, "adamw", False),
    "t5": (lambda: Logits(t5(), ["input_ids", "decoder_input_ids"], use_cache=False), lambda: (ids(2, 16), ids(2, 12)), ["input_ids", "decoder_input_ids"], (2, 12), 256, "adamw", False),
    "whisper": (lambda: Logits(whisper(), ["input_features", "decoder_input_ids"], use_cache=False), lambda: (torch.randn(2, 16, 100), ids(2, 12)), ["input_features", "decoder_input_ids"], (2, 12), 256, "adamw", False),
    "mobilenet": (mobilenet, lambda: (torch.randn(4, 3, 64, 64),), ["x"], (4,), 10, "momentum", False),
    "neox": (lambda: masked(neox(), use_cache=False), lambda: (ids(2, 24), padding(2, 24)), ["input_ids", "attention_mask"], (2, 24), 256, "adamw", False),
}
# variant: (exporter, opset, options)
VARIANTS = {
    "dynamo20": ("dynamo", 20, {}),
    "dynamo18": ("dynamo", 18, {}),
    "dynamo23": ("dynamo", 23, {}),
    "dynamo20-unoptimized": ("dynamo", 20, {"optimize": False}),
    "dynamo20-dynamic": ("dynamo", 20, {"dynamic": True}),
    "dynamo20-parameters-as-inputs": ("dynamo", 20, {"inputs": True}),
    "torchscript17": ("torchscript", 17, {}),
    "torchscript18-unfolded": ("torchscript", 18, {"unfolded": True}),
    "torchscript18-training": ("torchscript", 18, {"training": True}),
}


class Functional(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.__dict__["hidden"] = model

    def forward(self, parameters, *args):
        return torch.func.functional_call(self.__dict__["hidden"], parameters, args)


def loss_of(model, args, labels):
    out = model(*args)
    return F.cross_entropy(out.reshape(-1, out.shape[-1]), labels.reshape(-1), ignore_index=-100), out


def optimizer_of(kind, params):
    if kind == "adamw":
        return torch.optim.AdamW(params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01)
    return torch.optim.SGD(params, lr=0.05, momentum=0.9)


def cast(args, dtype):
    return tuple(a.to(dtype) if a.is_floating_point() else a for a in args)


def run(model, args, labels, kind, dtype):
    model = copy.deepcopy(model).to(dtype).train()
    args = cast(args, dtype)
    optimizer = optimizer_of(kind, model.parameters())
    losses, first = [], {}
    for step in range(LOSS_STEPS + 1):
        optimizer.zero_grad()
        loss, out = loss_of(model, args, labels)
        losses.append(loss.item())
        if step == STEPS:
            final = {"final/" + n: p.detach().clone() for n, p in model.named_parameters()}
        loss.backward()
        if step == 0:
            first = {"output": out.detach().clone(), **{"gradient/" + n: p.grad.clone() for n, p in model.named_parameters() if p.grad is not None}}
            first |= {"buffer_after_1/" + n: b.clone() for n, b in model.named_buffers() if n.endswith(("running_mean", "running_var"))}
        optimizer.step()
    return losses, first, final


def export(model, args, names, path, exporter, opset, options):
    kw = dict(input_names=names, output_names=["output"], opset_version=opset)
    model = copy.deepcopy(model).train(bool(options.get("training")))
    call = args
    if exporter == "dynamo":
        kw |= dict(dynamo=True, external_data=False, optimize=options.get("optimize", True))
        if options.get("dynamic"):
            shapes = tuple({0: torch.export.Dim.DYNAMIC} | ({1: torch.export.Dim.DYNAMIC} if a.dim() == 2 and not a.is_floating_point() else {}) for a in args)
            kw["dynamic_shapes"] = (shapes,) if isinstance(model, Logits) else shapes
        if options.get("inputs"):
            kw.pop("input_names")
            call = ({n: p.detach() for n, p in model.named_parameters()}, *args)
            model = Functional(model)
    else:
        kw |= dict(dynamo=False, do_constant_folding=not (options.get("unfolded") or options.get("training")))
        if options.get("training"):
            kw["training"] = torch.onnx.TrainingMode.TRAINING
    quiet = io.StringIO()
    with contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet):
        torch.onnx.export(model, call, path, **kw)
    without_stack_traces(path)
    onnx.checker.check_model(path, full_check=True)


def without_stack_traces(path):
    """Removes the exporter's notes on where each node stood in the Python files of the machine it ran on."""
    proto = onnx.load(path)
    for item in [*proto.graph.node, *proto.graph.input, *proto.graph.output, *proto.graph.value_info, *proto.graph.initializer]:
        kept = [(e.key, e.value) for e in item.metadata_props if "stack_trace" not in e.key]
        del item.metadata_props[:]
        for key, value in kept:
            item.metadata_props.add(key=key, value=value)
    onnx.save(proto, path)


def mapping(model, path):
    """PyTorch parameter name -> names in the file that hold its values, with how they are laid out."""
    graph = onnx.load(path).graph
    held = [(t.name, onnx.numpy_helper.to_array(t)) for t in graph.initializer]
    held += [(n.output[0], onnx.numpy_helper.to_array(a.t)) for n in graph.node if n.op_type == "Constant" for a in n.attribute if a.name == "value"]
    table = {}
    for name, p in model.named_parameters():
        v = p.detach().numpy()
        found = []
        for other, w in held:
            if w.dtype != v.dtype or w.size != v.size:
                continue
            if w.shape == v.shape and np.array_equal(w, v):
                found.append({"name": other, "layout": "same"})
            elif v.ndim == 2 and w.shape == v.T.shape and np.array_equal(w, v.T):
                found.append({"name": other, "layout": "transposed"})
            elif np.array_equal(w.reshape(-1), v.reshape(-1)):
                found.append({"name": other, "layout": "reshaped"})
        table[name] = found or ([{"name": i.name, "layout": "input"} for i in graph.input if i.name.endswith(name.replace(".", "_")) or i.name.endswith(name)])
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out")
    parser.add_argument("--only")
    parser.add_argument("--held", action="store_true", help="make the models that are not handed out")
    a = parser.parse_args()
    for name, (build, example, inputs, label_shape, classes, kind, handed) in MODELS.items():
        if (a.only and name not in a.only.split(",")) or (not a.only and handed == a.held):
            continue
        torch.manual_seed(7)
        model, args = build(), example()
        if not name.endswith("_fresh"):
            with torch.no_grad():
                for p in model.parameters():
                    p.add_(0.02 * torch.randn_like(p))
        labels = torch.randint(0, classes, label_shape)
        if len(label_shape) == 2:
            labels[torch.rand(label_shape) < 0.15] = -100
        folder = os.path.join(a.out, name)
        os.makedirs(folder, exist_ok=True)
        np.savez_compressed(os.path.join(folder, "batch.npz"), labels=labels.numpy(), **{n: t.numpy() for n, t in zip(inputs, args)})
        losses32, _, _ = run(model, args, labels, kind, torch.float32)
        losses64, first, final = run(model, args, labels, kind, torch.float64)
        np.savez_compressed(os.path.join(folder, "expected.npz"), **{k: v.to(torch.float32).numpy() if v.is_floating_point() else v.numpy() for k, v in (first | final).items()})
        files, failed = {}, {}
        for variant, (exporter, opset, options) in VARIANTS.items():
            path = os.path.join(folder, f"model.{variant}.onnx")
            try:
                export(model, args, inputs, path, exporter, opset, options)
                files[variant] = {"parameters": mapping(model, path)}
            except Exception as e:
                failed[variant] = str(e).strip().split("\n")[0][:160]
                if os.path.exists(path):
                    os.remove(path)
        meta = {"loss": "mean cross-entropy of output reshaped to (-1, classes) against labels reshaped to (-1), ignore index -100",
                "optimizer": "AdamW lr 1e-3, betas 0.9 0.999, eps 1e-8, weight decay 0.01 on all parameters" if kind == "adamw" else "SGD lr 0.05, momentum 0.9 (PyTorch's: v = 0.9 v + g, p -= lr v)",
                "mode": "train (batch norm uses batch statistics), every dropout 0", "losses_float32": losses32, "losses_float64": losses64,
                "tied": [[n for n, q in model.named_parameters(remove_duplicate=False) if q is p] for p in model.parameters() if sum(q is p for _, q in model.named_parameters(remove_duplicate=False)) > 1],
                "variants": files, "not_exportable": failed}
        json.dump(meta, open(os.path.join(folder, "expected.json"), "w"), indent=1)
        print(name, "loss", round(losses64[0], 4), "->", round(losses64[-1], 4), "variants", len(files), "failed", failed, flush=True)


if __name__ == "__main__":
    main()
