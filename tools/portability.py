"""Run the numeric tests as other processors would: NumPy, OpenBLAS and the C library choose their
code by what a processor can do, and each can be told to do as if it could do less.

    python tools/portability.py [WORD of a variant]
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

from numpy._core import _multiarray_umath as built  # type: ignore[attr-defined,unused-ignore]

ROOT = Path(__file__).resolve().parent.parent
HAS = {name for name, found in built.__cpu_features__.items() if found}
DISPATCHED = [name for name in built.__cpu_dispatch__ if name in HAS]
AVX512 = [name for name in DISPATCHED if name.startswith("AVX512") or name == "X86_V4"]
AVX2 = [name for name in DISPATCHED if name in ("X86_V3", "AVX2", "FMA3")]


def variants() -> dict[str, dict[str, str]]:
    """Return name → environment of those that this processor can pretend to be."""
    found: dict[str, dict[str, str]] = {"as it is": {}}
    if platform.machine() not in ("x86_64", "AMD64"):
        return found
    needs = {"Nehalem": "SSE2", "Haswell": "AVX2", "Zen": "AVX2", "SkylakeX": "AVX512F"}
    for core, feature in needs.items():
        if feature in HAS:
            found[f"OpenBLAS for {core}"] = {"OPENBLAS_CORETYPE": core}
    for name, features in (("AVX-512", AVX512), ("AVX2", AVX512 + AVX2)):
        if features:
            found[f"NumPy without {name}"] = {"NPY_DISABLE_CPU_FEATURES": " ".join(features)}
    if "AVX2" in HAS and platform.libc_ver()[0] == "glibc":
        less = "glibc.cpu.hwcaps=-AVX512F,-AVX2,-FMA,-FMA4"
        found["C library without FMA"] = {"GLIBC_TUNABLES": less}
    return found


def main() -> int:
    """Run pytest once for each variant; the last lines say which failed."""
    failed = []
    for name, environment in variants().items():
        if all(word in name for word in sys.argv[1:]):
            print(f"== {name}", flush=True)
            command = [sys.executable, "-m", "pytest", "-q", "-m", "numeric", "--tb=short"]
            done = subprocess.run(command, cwd=ROOT, env=os.environ | environment, check=False)
            failed += [name] * bool(done.returncode)
    print(f"failed: {', '.join(failed) or 'none'}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
