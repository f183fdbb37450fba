#!/usr/bin/env python3
"""check_includes.py must find a wrong arrow, name it, and accept the right ones."""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import check_includes

FILES = {
    "runtime/exec/executor.cpp": '#include "kernels/abi/kernel.h"\n#include "compiler/Support/Names.h"\n',
    "runtime/base/status.h": "#include <vector>\n  #  include <llvm/ADT/StringRef.h>\n",
    "passes/Lower/Fuse.cpp": '#include "compiler/Dialect/Graph/Graph.h"\n#include "mlir/Pass/Pass.h"\n#include "onnx/onnx_pb.h"\n',
    "passes/Lower/Emit.cpp": '#include "kernels/abi/plan.pb.h"\n#include "runtime/base/status.h"\n',
    "compiler/Import/Import.cpp": '#include "passes/Import/Fold.h"\n',
    "kernels/abi/kernel.h": '#include "kernels/matmul/host.h"\n',
    "tools/twc/twc.cpp": '#include "runtime/base/status.h"\n#include "passes/Pipelines/Pipelines.h"\n',
}
EXPECTED = {
    "compiler/Import/Import.cpp:1",
    "kernels/abi/kernel.h:1",
    "passes/Lower/Emit.cpp:2",
    "runtime/base/status.h:2",
    "runtime/exec/executor.cpp:2",
}

with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder)
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    found = {": ".join(line.split(": ")[:1]) for line in check_includes.check(root)}
if found != EXPECTED:
    sys.exit(f"missed: {sorted(EXPECTED - found)}; wrongly reported: {sorted(found - EXPECTED)}")
