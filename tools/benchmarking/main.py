"""Times training steps of compiled programs beside PyTorch: the same models, batches and optimizers, runs interleaved.

usage: tools/benchmark --torch-python PYTHON [--workloads W1,W5] [--peers eager,compile] [--rounds N]
PYTHON is the interpreter of an environment with torch 2.9 or newer, onnx and onnxscript; it also exports the models.
Ratios below 1 mean that the compiled program is faster, or smaller. Only ratios within one run count: machines vary.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

import numpy as np

import workloads

root = pathlib.Path(__file__).resolve().parents[2]

PEER_SCRIPT = root / "tools" / "benchmarking" / "peer_torch.py"
MIB = 1 << 20


def run(command, **options):
    """The command's standard output; ends the benchmark when the command fails."""
    result = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, text=True, check=False, **options)
    if result.returncode:
        sys.exit(f"benchmark: `{' '.join(str(part) for part in command)}` failed with exit code {result.returncode}")
    return result.stdout


def json_lines(text):
    """All lines that are JSON objects, merged."""
    merged = {}
    for line in text.splitlines():
        if line.startswith("{"):
            merged |= json.loads(line)
    return merged


def prepare(name, options):
    """Exports and compiles a workload; the folder that holds it, and how long twc took."""
    folder = options.folder / name
    folder.mkdir(parents=True, exist_ok=True)
    workload = workloads.WORKLOADS[name]
    model, recipe = folder / "model.onnx", folder / "recipe.json"
    exported = folder / "exported"  # exists when the model is whole
    if not exported.exists():
        run([options.torch_python, PEER_SCRIPT, "export", name, model], stderr=subprocess.DEVNULL)
        exported.touch()
    recipe.write_text(json.dumps(workloads.recipe_of(workload), indent=2))
    np.savez(folder / "batch.npz", **workloads.batch_of(workload))
    start = time.perf_counter()
    run([options.build / "bin/twc", model, "--recipe", recipe, "-o", folder / "train"])
    return folder, time.perf_counter() - start


def run_ours(folder, workload):
    metrics = folder / "metrics.jsonl"
    metrics.unlink(missing_ok=True)
    output = json_lines(run([folder / "train", "--data", folder / "batch.npz", "--no-shuffle", "--steps", workload.steps,
                             "--metrics", metrics, "--progress", "never", "--time", "--memory"]))
    losses = [json.loads(line)["loss"] for line in metrics.read_text().splitlines()]
    return {"step_ms": output["median_step_ms"], "peak_bytes": output["peak_resident_above_floor_bytes"],
            "losses": losses}


def run_peer(name, mode, options):
    return json_lines(run([options.torch_python, PEER_SCRIPT, mode, name]))


def warn_when_losses_differ(name, ours, peer):
    """The same model must have been trained: three losses within 1e-3. Later, rounding grows: after four steps of W4,
    PyTorch in fp32 is 9e-4 from PyTorch in fp64."""
    worst = max(abs(a - b) / max(abs(b), 1e-6) for a, b in zip(ours["losses"][:3], peer["losses"][:3]))
    if worst > 1e-3:
        print(f"  {name}: WARNING: losses differ from PyTorch's by up to {worst:.1e} relative", flush=True)


def compare(name, options):
    workload = workloads.WORKLOADS[name]
    folder, compile_seconds = prepare(name, options)
    results = {"trainwright": []} | {peer: [] for peer in options.peers}
    for _ in range(options.rounds):
        results["trainwright"].append(run_ours(folder, workload))
        for peer in options.peers:
            results[peer].append(run_peer(name, peer, options))
    if options.peers:
        warn_when_losses_differ(name, results["trainwright"][0], results[options.peers[0]][0])
    figures = {who: (statistics.median(r["step_ms"] for r in runs), statistics.median(r["peak_bytes"] for r in runs))
               for who, runs in results.items()}
    ours = figures.pop("trainwright")
    print(f"{name} {workload.title}: {ours[0]:.1f} ms a step, peak {ours[1] / MIB:.0f} MiB, compiled in "
          f"{compile_seconds:.1f} s", flush=True)
    for peer, (step, peak) in figures.items():
        print(f"  of PyTorch {peer} ({step:.1f} ms, {peak / MIB:.0f} MiB): time {ours[0] / step:.2f}, "
              f"memory {ours[1] / peak:.2f}", flush=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--torch-python", required=True, help="interpreter of an environment with torch")
    arguments.add_argument("--workloads", default=",".join(workloads.WORKLOADS), help="default: all")
    arguments.add_argument("--peers", default="eager", help="eager, compile, or both, or '' (default: eager)")
    arguments.add_argument("--rounds", type=int, default=3, help="runs of each, interleaved (default: 3)")
    arguments.add_argument("--build", type=pathlib.Path, default=root / "build")
    arguments.add_argument("--folder", type=pathlib.Path, default=root / "out" / "benchmark")
    options = arguments.parse_args()
    options.peers = [peer for peer in options.peers.split(",") if peer]
    names = options.workloads.split(",")
    unknown = [name for name in names if name not in workloads.WORKLOADS]
    if unknown:
        arguments.error(f"no workload {', '.join(unknown)}; there are {', '.join(workloads.WORKLOADS)}")
    os.environ.setdefault("OMP_NUM_THREADS", str(os.cpu_count()))
    for name in names:
        compare(name, options)


if __name__ == "__main__":
    main()
