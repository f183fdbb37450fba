"""lit settings of all tests. `lit test/passes/Lower/fuse-elementwise.mlir` runs one from a source tree whose build is
in build/; `--param build_dir=DIR` names another build."""
import os
import re
import shutil
import subprocess

import lit.formats

llvm_bin = "/usr/lib/llvm-22/bin"
source_dir = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
build_dir = os.path.abspath(lit_config.params.get("build_dir", os.path.join(source_dir, "build")))


def cache_value(name):
    """The value of a CMake cache entry of the build, or ''."""
    try:
        with open(os.path.join(build_dir, "CMakeCache.txt")) as cache:
            found = re.search(rf"^{name}:\w+=(.*)$", cache.read(), re.MULTILINE)
    except OSError:
        lit_config.fatal(f"{build_dir} holds no build: configure it, or pass --param build_dir=DIR")
    return found.group(1) if found else ""


def succeeds(*command):
    """True when the command exists and exits with 0."""
    try:
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0
    except OSError:
        return False


config.name = "trainwright"
config.test_format = lit.formats.ShTest(execute_external=True)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "oracle"]
config.test_source_root = os.path.join(source_dir, "test")
config.test_exec_root = os.path.join(build_dir, "test", "lit")

venv_python = os.path.join(os.environ.get("TW_VENV_DIR", os.path.join(source_dir, ".venv")), "bin", "python")
config.environment["PATH"] = os.pathsep.join([os.path.join(build_dir, "bin"), llvm_bin, os.environ["PATH"]])
for name in ("HOME", "CUDA_HOME", "CUDA_VISIBLE_DEVICES", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "TW_DEPS_DIR"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
# Tests share the cores: threads that wait shall sleep.
config.environment["OMP_WAIT_POLICY"] = "passive"
# Open MPI: tests start two ranks on any machine, as any user, and need no network.
config.environment.update({
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
})

cuda_home = os.environ.get("CUDA_HOME") or "/usr/local/cuda"  # where twc looks, too

for tool in ("tw-opt", "tw-import", "twc", "tw-plan"):
    # Not preceded or followed by what could be a part of a longer name or a path.
    config.substitutions.append((rf"(?<![\w./-]){tool}(?![\w./-])", os.path.join(build_dir, "bin", tool)))
config.substitutions += [
    ("%python", venv_python),
    ("%oracle", os.path.join(source_dir, "test", "oracle")),
    ("%models", os.path.join(source_dir, "models")),
    ("%tools", os.path.join(source_dir, "tools")),
    ("%cuda", cuda_home),
    ("%examples", os.path.join(source_dir, "tools", "examples")),
    ("%mpirun", "mpirun --oversubscribe --bind-to none"),
]

if os.path.exists(venv_python):
    config.available_features.add("python")
if cache_value("TW_CUDA") == "ON":
    config.available_features.add("cuda")
if os.access(os.path.join(cuda_home, "bin", "ptxas"), os.X_OK):
    config.available_features.add("ptxas")
if succeeds("nvidia-smi", "-L"):
    config.available_features.add("gpu")
if shutil.which("mpirun"):
    config.available_features.add("mpi")
with open("/proc/cpuinfo") as cpuinfo:
    flags = set(cpuinfo.read().split())
config.available_features.update(flag for flag in ("avx2", "avx512f", "avx512_bf16") if flag in flags)
