#!/usr/bin/env python3
"""Checks that includes follow the arrows between folders: the arrows of docs/architecture.md, section "Folders".

usage: check_includes.py [ROOT]
Prints each include that follows no arrow, and exits with 1 when there is one.
"""
import pathlib
import re
import sys

# Each folder and what it may include besides itself. The longest matching folder counts.
ARROWS = {
    "compiler": ["kernels/abi"],
    "passes": ["compiler", "kernels/abi"],
    "kernels/abi": [],
    "kernels": ["kernels/abi"],
    "runtime": ["kernels", "kernels/abi"],
    "tools": ["compiler", "passes", "kernels", "kernels/abi", "runtime"],
    "test": ["compiler", "passes", "kernels", "kernels/abi", "runtime", "tools"],
}
# What only some folders may use from outside the project.
EXTERNAL = {
    r"(mlir|llvm|llvm-c|mlir-c)/": ("compiler", "passes", "tools", "test"),
    r"onnx/": ("compiler", "passes", "tools", "test"),
}
SUFFIXES = {".h", ".hpp", ".cpp", ".cc", ".cu", ".cuh", ".inc", ".def", ".td"}
INCLUDE = re.compile(r'^\s*#?\s*include\s+["<]([^">]+)[">]')


def layer_of(path):
    """The longest folder of ARROWS that holds the path, or None."""
    found = [layer for layer in ARROWS if path == layer or path.startswith(layer + "/")]
    return max(found, key=len, default=None)


def violation(source, included):
    """Why `source` may not include `included`, or None."""
    layer = layer_of(source)
    if layer is None:
        return None
    for pattern, allowed in EXTERNAL.items():
        if re.match(pattern, included) and layer.split("/")[0] not in allowed:
            return f"{layer} may not use it: only {', '.join(allowed)} may"
    target = layer_of(included)
    if target is None or target == layer or target in ARROWS[layer]:
        return None
    return f"no arrow from {layer} to {target}; {layer} may use {', '.join(ARROWS[layer]) or 'nothing else'}"


def check(root):
    """All violations below `root`, as sentences."""
    findings = []
    for top in sorted({layer.split("/")[0] for layer in ARROWS}):
        for file in sorted((root / top).rglob("*")):
            if file.suffix not in SUFFIXES or not file.is_file():
                continue
            source = file.relative_to(root).as_posix()
            for number, line in enumerate(file.read_text(errors="replace").splitlines(), 1):
                match = INCLUDE.match(line)
                reason = match and violation(source, match.group(1))
                if reason:
                    findings.append(f"{source}:{number}: includes {match.group(1)}: {reason}")
    return findings


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2])
    findings = check(root)
    print("\n".join(findings) if findings else "all includes follow the arrows")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
