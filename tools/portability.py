"""Run the tests as other machines would: other processors, ignored Ctrl-C, load, another order.

    python tools/portability.py [--quick] [VARIANT ...] [--list]

Rounding differs between processors, because NumPy, OpenBLAS and the C library choose their code by
what the processor can do. Each of them can be told to do as if it could do less, so one machine
stands for many. Each variant is one run of pytest; in the end there is a table. What this machine
cannot pretend to be is left out with a word. `--quick` leaves out the tests marked slow.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from numpy._core import _multiarray_umath as built  # type: ignore[attr-defined,unused-ignore]

ROOT = Path(__file__).resolve().parent.parent
HAS = {name for name, found in built.__cpu_features__.items() if found}
DISPATCHED = [name for name in built.__cpu_dispatch__ if name in HAS]
"""What NumPy decides at run time on this processor, and so can be told to leave."""
AVX512 = [name for name in DISPATCHED if name.startswith("AVX512") or name == "X86_V4"]
AVX2 = [name for name in DISPATCHED if name in ("X86_V3", "AVX2", "FMA3")]
BUSY = 8
NUMBERS, ALL = "numeric", "not (browser or postgres or network)"


@dataclass(frozen=True)
class Variant:
    """One way to run the tests."""

    name: str
    environment: dict[str, str] = field(default_factory=dict)
    chosen: str = NUMBERS
    ignores_interrupts: bool = False
    busy: int = 0
    impossible: str = ""
    """Why this machine cannot do it."""


def variants(seed: int) -> list[Variant]:
    """Return all of them; those that this machine cannot pretend say why."""
    x86 = "" if platform.machine() in ("x86_64", "AMD64") else "the processor is no x86"
    no_avx2 = x86 or ("" if "AVX2" in HAS else "the processor has no AVX2")
    no_avx512 = x86 or ("" if "AVX512F" in HAS else "the processor has no AVX-512")
    no_glibc = no_avx2 or ("" if platform.libc_ver()[0] == "glibc" else "the C library is no glibc")
    needs = {"Haswell": no_avx2, "SkylakeX": no_avx512, "Zen": no_avx2, "Nehalem": x86}
    return [
        Variant("as it is"),
        *(
            Variant(f"OpenBLAS for {core}", {"OPENBLAS_CORETYPE": core}, impossible=why)
            for core, why in needs.items()
        ),
        Variant("NumPy without AVX-512", _without(AVX512), impossible=no_avx512),
        Variant("NumPy without AVX2", _without(AVX512 + AVX2), impossible=no_avx2),
        Variant(
            "C library without FMA",
            {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F,-AVX2,-FMA,-FMA4"},
            impossible=no_glibc,
        ),
        Variant("SIGINT ignored", chosen=ALL, ignores_interrupts=True),
        Variant(f"{BUSY} busy processes", busy=BUSY),
        Variant(f"random order {seed}", {"BUDGETED_TEST_ORDER": str(seed)}, ALL),
    ]


def _without(features: Sequence[str]) -> dict[str, str]:
    return {"NPY_DISABLE_CPU_FEATURES": " ".join(features)}


@contextmanager
def load(number: int) -> Iterator[None]:
    """Keep so many processes busy."""
    busy = [subprocess.Popen((sys.executable, "-c", "while True: pass")) for _ in range(number)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def run(variant: Variant, quick: bool, workers: str, log: Path) -> tuple[str, bool]:
    """Run the tests as a variant says; return the verdict in words and whether all is well."""
    if variant.impossible:
        return f"left out: {variant.impossible}", True
    chosen = f"({variant.chosen}) and not slow" if quick else variant.chosen
    command = [sys.executable, "-m", "pytest", "-m", chosen, "-n", workers, "-v", "--tb=short"]
    if variant.ignores_interrupts:  # as nohup does, or a script that starts it with &
        command = ["sh", "-c", "trap '' INT; exec \"$@\"", "sh", *command]
    began = time.monotonic()
    with log.open("w") as out, load(variant.busy):
        code = subprocess.run(
            command, cwd=ROOT, env=os.environ | variant.environment,
            stdout=out, stderr=subprocess.STDOUT, check=False,
        ).returncode  # fmt: skip
    said = log.read_text(encoding="utf-8", errors="replace")
    counts = re.findall(r"^=*\s*((?:\d+ \w+(?:, )?)+) in ", said, re.MULTILINE)
    result = counts[-1] if counts else f"no result, exit code {code}"
    for line in re.findall(r"^(?:FAILED|ERROR) .*", said, re.MULTILINE):
        print(f"    {line}", flush=True)
    return f"{result} in {time.monotonic() - began:.0f} s", code == 0


def main() -> int:
    """Run what was asked for and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("only", nargs="*", metavar="VARIANT", help="part of a name; else all")
    parser.add_argument("--quick", action="store_true", help="without the tests marked slow")
    parser.add_argument("--list", action="store_true", help="name the variants and end")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of the random order")
    parser.add_argument("-n", dest="workers", default="auto", help="processes of pytest")
    given = parser.parse_args()
    wanted = [
        each
        for each in variants(given.seed)
        if not given.only or any(word.lower() in each.name.lower() for word in given.only)
    ]
    if given.list or not wanted:
        print("\n".join(each.name for each in wanted or variants(given.seed)))
        return 0 if wanted else 2
    logs = Path(tempfile.mkdtemp(prefix="portability-"))
    rows = []
    for at, variant in enumerate(wanted):
        print(f"{variant.name} ...", flush=True)
        words, well = run(variant, given.quick, given.workers, logs / f"{at}.log")
        rows.append((variant.name, "ok" if well else "NOT", words))
        print(f"    {words}", flush=True)
    print(f"\n| variant | | what pytest says |\n|---|---|---|\n{_table(rows)}\nlogs: {logs}")
    return 0 if all(verdict == "ok" for _, verdict, _ in rows) else 1


def _table(rows: Sequence[tuple[str, str, str]]) -> str:
    return "\n".join(f"| {name} | {verdict} | {words} |" for name, verdict, words in rows)


if __name__ == "__main__":
    sys.exit(main())
