#!/usr/bin/env python3
"""Prints text that a character-level GPT continues, computed by onnxruntime.

usage: generate_text.py MODEL.onnx --vocabulary vocabulary.json [--prompt TEXT] [--length N] [--temperature T] [--seed N]
The model maps tokens (batch, context) to scores (batch, context, vocabulary) and is causal: positions after the last
character hold anything.
"""
import argparse
import json
import pathlib
import sys

import numpy as np
import onnxruntime


def next_token(scores, temperature, generator):
    """A token drawn from softmax(scores / temperature); the best one at temperature 0."""
    if temperature == 0:
        return int(scores.argmax())
    shares = np.exp((scores - scores.max()) / temperature)
    return int(generator.choice(len(shares), p=shares / shares.sum()))


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("model", type=pathlib.Path)
    arguments.add_argument("--vocabulary", type=pathlib.Path, required=True, help="JSON list of characters")
    arguments.add_argument("--prompt", default="And God said, ", help="text to continue")
    arguments.add_argument("--length", type=int, default=300, help="characters to add (default: 300)")
    arguments.add_argument("--temperature", type=float, default=0.8, help="0 takes the likeliest (default: 0.8)")
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()

    vocabulary = json.loads(options.vocabulary.read_text())
    unknown = sorted(set(options.prompt) - set(vocabulary))
    if unknown or not options.prompt:
        sys.exit(f"the prompt must be text of characters in {options.vocabulary}; it has {unknown}")
    session = onnxruntime.InferenceSession(str(options.model), providers=["CPUExecutionProvider"])
    entry = session.get_inputs()[0]
    rows, context = (size if isinstance(size, int) else 1 if axis == 0 else 256 for axis, size in enumerate(entry.shape))
    generator = np.random.default_rng(options.seed)
    tokens = [vocabulary.index(character) for character in options.prompt]
    for _ in range(options.length):
        window = tokens[-context:]
        batch = np.zeros((rows, context), np.int64)
        batch[0, :len(window)] = window
        scores = session.run(None, {entry.name: batch})[0][0, len(window) - 1, :len(vocabulary)]
        tokens.append(next_token(scores.astype(np.float64), options.temperature, generator))
    print("".join(vocabulary[token] for token in tokens))


if __name__ == "__main__":
    main()
