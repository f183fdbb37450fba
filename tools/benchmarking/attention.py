"""Times and checks the attention kernels of the host: forward plus backward in fp32.

usage: tools/benchmark-attention [--torch-python PYTHON] [--rounds N] [--only speed,unfused,memory,error]
Prints, each with the medians and their ratio (below 1: the fused kernel is faster):
  speed    the kernels beside PyTorch's scaled_dot_product_attention, interleaved (with --torch-python)
  unfused  beside matmul, softmax and softmax_backward of the same kernel library, with S x S scores in memory
  memory   the kernels' workspace at growing lengths
  error    the largest difference from numpy's fp64, relative to the largest magnitude, beside PyTorch's fp32
Needs `ninja -C build attention_benchmark`; both sides use OMP_NUM_THREADS threads (default: all).
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy as np

root = pathlib.Path(__file__).resolve().parents[2]
NAMES = ["result", "d_query", "d_key", "d_value"]


class Peer:
    """A program that answers each line with a line."""

    def __init__(self, command):
        self.process = subprocess.Popen([str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit(f"benchmark-attention: the peer ended at '{line}'")
        return answer.strip()

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def words(what, sizes, *more):
    return " ".join([what, *(str(int(size)) for size in sizes), *(str(part) for part in more)])


def compare(title, first, second, sizes, rounds):
    """Medians of two (peer, command) pairs, run in turns; the first round warms up."""
    times = ([], [])
    for _ in range(rounds + 1):
        for (peer, what), kept in zip((first, second), times):
            kept.append(float(peer.ask(words(what, sizes))))
    ours, theirs = (statistics.median(kept[1:]) for kept in times)
    batch, heads, length, width, causal = sizes
    print(f"  B {batch} H {heads} S {length} D {width}{' causal' if causal else ''}: {ours:.1f} ms, {title} "
          f"{theirs:.1f} ms, ratio {ours / theirs:.2f}", flush=True)


def print_speed(kernels, torch, rounds):
    print("forward plus backward beside PyTorch's scaled_dot_product_attention:")
    for sizes in [(8, 6, 256, 64, True), (4, 12, 64, 64, True), (1, 8, 512, 64, False), (1, 8, 2048, 64, False),
                  (1, 8, 2048, 64, True)]:
        compare("PyTorch", (kernels, "fused"), (torch, "fused"), sizes, rounds)


def print_unfused(kernels, rounds):
    """Two processes, so that neither evicts the other's tensors between rounds."""
    print("forward plus backward beside matmul, softmax and softmax_backward of this library:")
    other = Peer([kernels.process.args[0]])
    for causal in (False, True):
        compare("unfused", (kernels, "fused"), (other, "unfused"), (1, 8, 2048, 64, causal), rounds)
    other.close()


def print_memory(kernels):
    print("workspace for 8 heads of 64, beside one S x S matrix of scores a head:")
    for length in (512, 1024, 2048, 4096):
        forward, backward = (int(part) for part in kernels.ask(words("memory", (1, 8, length, 64, True))).split())
        print(f"  S {length}: forward {forward / 2**20:.2f} MiB, backward {backward / 2**20:.2f} MiB "
              f"({(forward + backward) / length:.0f} bytes a position); scores would take {8 * length**2 / 2**18:.0f} "
              "MiB")


def exact_attention(query, key, value, cotangent, causal):
    """Result and cotangents in fp64, head by head."""
    outputs = [np.zeros_like(query) for _ in NAMES]
    scale, length = 1 / np.sqrt(query.shape[-1]), query.shape[2]
    for at in np.ndindex(query.shape[:2]):
        q, k, v, dy = query[at], key[at], value[at], cotangent[at]
        scores = scale * q @ k.T
        if causal:
            scores[np.triu_indices(length, 1)] = -np.inf
        p = np.exp(scores - scores.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        y = p @ v
        ds = scale * p * (dy @ v.T - (dy * y).sum(axis=1, keepdims=True))
        for output, part in zip(outputs, (y, ds @ k, ds.T @ q, p.T @ dy)):
            output[at] = part
    return outputs


def errors_of(peer, inputs, exact, sizes):
    with tempfile.TemporaryDirectory() as folder:
        for name, tensor in inputs.items():
            tensor.tofile(f"{folder}/{name}.f32")
        peer.ask(words("error", sizes, folder))
        errors = []
        for name, expected in zip(NAMES, exact):
            actual = np.fromfile(f"{folder}/{name}.f32", np.float32).reshape(expected.shape)
            errors.append(np.abs(actual - expected).max() / np.abs(expected).max())
        return errors


def print_errors(kernels, torch):
    print("error against fp64, relative to the largest magnitude:")
    for causal in (False, True):
        sizes = (1, 8, 512, 64, causal)
        random = np.random.default_rng(1)
        inputs = {name: random.standard_normal(sizes[:4], np.float32)
                  for name in ("query", "key", "value", "cotangent")}
        exact = exact_attention(*(tensor.astype(np.float64) for tensor in inputs.values()), causal)
        ours = errors_of(kernels, inputs, exact, sizes)
        theirs = errors_of(torch, inputs, exact, sizes) if torch else [None] * 4
        for name, a, b in zip(NAMES, ours, theirs):
            beside = f", PyTorch {b:.2e}, ratio {a / b:.2f}" if torch else ""
            print(f"  S 512, 8 heads of 64{' causal' if causal else ''}, {name}: {a:.2e}{beside}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--torch-python", help="interpreter of an environment with torch")
    arguments.add_argument("--rounds", type=int, default=7, help="runs of each, interleaved (default: 7)")
    arguments.add_argument("--only", default="speed,unfused,memory,error", help="what to print (default: all)")
    arguments.add_argument("--build", type=pathlib.Path, default=root / "build")
    options = arguments.parse_args()
    program = options.build / "bin" / "attention_benchmark"
    if not program.exists():
        sys.exit(f"benchmark-attention: there is no {program}; build the target attention_benchmark first")
    os.environ.setdefault("OMP_NUM_THREADS", str(os.cpu_count()))
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # an idle side must not take the other's processor
    wanted = options.only.split(",")
    kernels = Peer([program])
    torch = Peer([options.torch_python, root / "tools" / "benchmarking" / "attention_torch.py"]) \
        if options.torch_python else None
    if "speed" in wanted and torch:
        print_speed(kernels, torch, options.rounds)
    if "unfused" in wanted:
        print_unfused(kernels, options.rounds)
    if "memory" in wanted:
        print_memory(kernels)
    if "error" in wanted:
        print_errors(kernels, torch)


if __name__ == "__main__":
    main()
