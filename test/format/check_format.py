#!/usr/bin/env python3
"""Checks that clang-format 22 would change no source. `tools/format` applies it."""
import pathlib
import shutil
import subprocess
import sys

root = pathlib.Path(__file__).parents[2]
program = shutil.which("clang-format-22") or "/usr/lib/llvm-22/bin/clang-format"
folders = ("compiler", "passes", "kernels", "runtime", "tools", "test")
sources = [
    str(file)
    for folder in folders
    for file in sorted((root / folder).rglob("*"))
    if file.suffix in {".h", ".cpp", ".cu", ".cuh"} and file.is_file()
]
if not sources:
    sys.exit(0)
mode = ["-i"] if sys.argv[1:] == ["--fix"] else ["--dry-run", "--Werror"]
result = subprocess.run([program, *mode, "--style=file", *sources], stderr=subprocess.PIPE, text=True)
if result.returncode:
    files = sorted({line.split(":")[0] for line in result.stderr.splitlines() if "[-Wclang-format-violations]" in line})
    print(f"{len(files)} of {len(sources)} sources are not formatted; run tools/format:", *files, sep="\n  ")
sys.exit(result.returncode)
