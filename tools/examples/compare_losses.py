#!/usr/bin/env python3
"""Compares the losses of two runs, step by step.

usage: compare_losses.py A.jsonl B.jsonl [--tolerance R] [--steps N]
Exits with 1 when a loss of B differs from A's by more than R (1e-3) relative within the first N steps (all).
"""
import argparse
import json
import sys


def losses_of(path):
    with open(path) as file:
        return {entry["step"]: entry["loss"] for entry in map(json.loads, file) if "loss" in entry}


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("first")
    arguments.add_argument("second")
    arguments.add_argument("--tolerance", type=float, default=1e-3, help="relative (default: 1e-3)")
    arguments.add_argument("--steps", type=int, default=sys.maxsize, help="compare only the first N steps")
    options = arguments.parse_args()
    first, second = losses_of(options.first), losses_of(options.second)
    steps = sorted(first)[:options.steps]
    if not steps or steps != sorted(second)[:options.steps]:
        sys.exit(f"the runs have different steps: {len(first)} in {options.first}, {len(second)} in {options.second}")
    difference, step = max((abs(second[s] - first[s]) / max(abs(first[s]), 1e-12), s) for s in steps)
    print(f"{len(steps)} losses, largest relative difference {difference:.2e} at step {step} "
          f"({first[step]:.6f} and {second[step]:.6f})")
    if not difference <= options.tolerance:
        sys.exit(f"that is more than {options.tolerance:g}")


if __name__ == "__main__":
    main()
