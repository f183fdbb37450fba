#!/usr/bin/env python3
"""Turns the text of Debian's bible-kjv into tokens, one a character.

usage: prepare_bible_text.py OUTPUT_FOLDER
Writes train.bin and validation.bin (the last tenth), each token one byte, without a header, and
vocabulary.json: the list of characters, token i being the i-th.
"""
import json
import pathlib
import subprocess
import sys

import numpy as np


def bible_text():
    """All verses in order, one a line, without their references ("Ge1:1 ")."""
    try:
        printed = subprocess.run(["bible", "-f", "gen1:1-rev22:21"], stdin=subprocess.DEVNULL, capture_output=True,
                                 text=True, check=True).stdout
    except FileNotFoundError:
        sys.exit("the program `bible` is missing: run tools/setup/debian-packages (bible-kjv, bible-kjv-text)")
    return "".join(line.split(" ", 1)[1] + "\n" for line in printed.splitlines() if " " in line)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    output = pathlib.Path(sys.argv[1])
    output.mkdir(parents=True, exist_ok=True)
    text = bible_text()
    vocabulary = sorted(set(text))
    token_of = {character: token for token, character in enumerate(vocabulary)}
    tokens = np.array([token_of[character] for character in text], np.uint8)
    split = len(tokens) - len(tokens) // 10
    tokens[:split].tofile(output / "train.bin")
    tokens[split:].tofile(output / "validation.bin")
    (output / "vocabulary.json").write_text(json.dumps(vocabulary) + "\n")
    print(f"{output}: {split} tokens to train on, {len(tokens) - split} to validate, {len(vocabulary)} characters")


if __name__ == "__main__":
    main()
