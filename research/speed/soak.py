"""Does a server that is never left in peace stop growing?

Fifty clients without pauses: people who ask and tell, cancel and correct; others who look at pages,
charts, logs, predictions, the list of studies, and at studies that do not exist; browsers that
watch; now and then new validation cases come. A study that has spent its budget is
followed by a new one, so that there are ever more of them, as in a department. The server lets go
of studies that nobody uses when the open ones take more than so much memory.

Every few seconds the resident memory and the open handles of the server are noted. In the end: how
fast they still grow in the last third, by least squares, with a standard error.

python -m research.speed.soak [--minutes 10] [--clients 50] [--memory 16] [--json]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from research.speed.findings import Finding, exit_status

EVERY = 5.0
"""Seconds between two samples."""
SLOPE, HANDLES = 1.0, 1.0
"""Most growth in the last third: megabytes and handles a minute."""
FEATURES, CASES, BUDGET = 8, 300, 400
_VALUES = ("a", "b", "c")
_CHARTS = ("error", "worth", "belief", "purchases")

_SERVER = """
import sys
from budgeted.web.server import run
from budgeted.web.settings import Limits, Settings
settings = Settings(sys.argv[1], port=0, limits=Limits(memory=int(sys.argv[2])))
run(settings, announce=lambda words: print(words, flush=True))
"""


@dataclass
class Sample:
    """The server at one moment."""

    minute: float
    megabytes: float
    handles: int
    threads: int


@dataclass
class Load:
    """What the clients share: where the server is, which studies there are, what went wrong."""

    port: int
    until: float
    studies: list[str] = field(default_factory=list)
    calls: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def begin(self, after: str | None) -> str:
        """Begin a study, unless somebody else did already; return the one to work on."""
        async with self.lock:
            if self.studies and self.studies[-1] != after:
                return self.studies[-1]
            name = f"study {len(self.studies)}"
            connection = Connection(self)
            try:
                made = await connection.call("POST", "/api/studies", new_study(name), "begin")
            finally:
                await connection.close()
            if made is None:
                raise RuntimeError("no study can be begun")
            self.studies.append(name)
            return name


def new_study(name: str) -> dict[str, Any]:
    """Return a study of the default policy with cases to judge it on."""
    features = [{"name": f"f{at}", "values": list(_VALUES), "cost": "1"} for at in range(FEATURES)]
    draw = random.Random(name)
    return {
        "study": {"name": name, "budget": str(BUDGET), "labels": ["no", "yes"],
                  "policy": {"name": draw.choice(("auto", "auto", "sfl", "round-robin"))},
                  "features": features},
        "cases": "case,label\n" + "".join(f"c{at},{('no', 'yes')[at % 2]}\n"
                                          for at in range(CASES)),
        "validation": validation(draw),
    }  # fmt: skip


def validation(draw: random.Random) -> str:
    """Return a CSV of cases known in full."""
    header = ",".join([*(f"f{at}" for at in range(FEATURES)), "label"])
    rows = [",".join([*(draw.choice(_VALUES) for _ in range(FEATURES)),
                      draw.choice(("no", "yes"))]) for _ in range(50)]  # fmt: skip
    return "\n".join([header, *rows]) + "\n"


class Connection:
    """A connection that stays open, a call at a time."""

    def __init__(self, load: Load) -> None:
        self._load = load
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def call(
        self, method: str, path: str, given: Any = None, kind: str = "", accept: int = 200
    ) -> Any:
        """Return what is answered, JSON as an object; None if that is not what was hoped for."""
        body = b"" if given is None else json.dumps(given).encode()
        head = (
            f"{method} {path.replace(' ', '%20')} HTTP/1.1\r\nHost: 127.0.0.1:{self._load.port}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        try:
            if self._streams is None:
                self._streams = await asyncio.open_connection("127.0.0.1", self._load.port)
            reader, writer = self._streams
            writer.write(head.encode() + body)
            status, content = await _answer(reader)
        except (OSError, asyncio.IncompleteReadError) as error:
            await self.close()
            self._load.errors[f"{kind}: {type(error).__name__}"] += 1
            return None
        self._load.calls[kind] += 1
        if status not in (accept, 201):
            if status != 409:  # somebody else was faster
                self._load.errors[f"{kind}: {status} {content[:120]!r}"] += 1
            return None
        return json.loads(content) if content[:1] in (b"{", b"[") else content

    async def watch(self, path: str, seconds: float) -> None:
        """Watch a stream of events for a while."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self._load.port)
        try:
            path = path.replace(" ", "%20")
            writer.write(
                f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self._load.port}\r\n\r\n".encode()
            )
            with suppress(asyncio.TimeoutError):
                async with asyncio.timeout(seconds):
                    while await reader.read(65536):
                        self._load.calls["events seen"] += 1
        finally:
            writer.close()

    async def close(self) -> None:
        """Hang up."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


async def _answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    head = await reader.readuntil(b"\r\n\r\n")
    length = next((int(line.split(b":")[1]) for line in head.split(b"\r\n")
                   if line.lower().startswith(b"content-length")), 0)  # fmt: skip
    return int(head.split(b" ", 2)[1]), await reader.readexactly(length)


async def work(load: Load, draw: random.Random) -> None:
    """Ask, and mostly tell; on to the next study when the money is gone."""
    connection, name = Connection(load), load.studies[-1]
    while time.perf_counter() < load.until:
        answer = await connection.call("POST", f"/api/studies/{name}/ask", {}, "ask")
        if answer is not None and not answer["requests"]:
            name = await load.begin(name)
        for request in (answer or {"requests": ()})["requests"]:
            path = f"/api/studies/{name}/requests/{request['number']}"
            kind = draw.choices(("tell", "fail", "cancel"), (20, 1, 1))[0]
            value = {"value": draw.choice(_VALUES)}
            await connection.call("POST", f"{path}/{kind}", value if kind == "tell" else {}, kind)
            if kind == "tell" and draw.random() < 0.05:
                value = {"value": draw.choice(_VALUES)}
                await connection.call("POST", f"{path}/correct", value, "correct")
    await connection.close()


async def look(load: Load, draw: random.Random) -> None:
    """Look at everything, mostly at the study that is worked on."""
    connection = Connection(load)
    while time.perf_counter() < load.until:
        name = load.studies[-1] if draw.random() < 0.7 else draw.choice(load.studies)
        study, api = f"/studies/{name}", f"/api/studies/{name}"
        text = draw.choice(("", "told", "f1", "c7", str(draw.randrange(1000))))
        case = {f"f{at}": draw.choice(_VALUES) for at in range(3)}
        known = "&".join(f"known={value}" for value in draw.choices(_VALUES, k=FEATURES))
        kind, path, accept = draw.choice((
            ("page", study, 200), ("page", f"{study}/worklist", 200),
            ("history", f"{study}/history?text={text}&page={draw.randrange(1, 5)}", 200),
            ("history", f"{api}/history.csv?text={text}", 200),
            ("model", f"{study}/model", 200), ("model", f"{api}/model?{known}", 200),
            ("chart", f"{api}/charts/{draw.choice(_CHARTS)}", 200),
            ("list", "/studies", 200), ("list", "/api/studies", 200),
            ("predict", f"{api}/predict", 200),
            ("nobody", f"/studies/nobody-{draw.random()}", 404),
            ("validation", f"{api}/validation", 200),
        ))  # fmt: skip
        given = {"predict": {"case": case}, "validation": {"csv": validation(draw)}}.get(kind)
        method = "GET" if given is None else "POST"
        await connection.call(method, path, given, kind, accept)
    await connection.close()


async def watch(load: Load, draw: random.Random) -> None:
    """Watch the study that is worked on, for some seconds each time."""
    connection = Connection(load)
    while time.perf_counter() < load.until:
        await connection.watch(f"/api/studies/{load.studies[-1]}/live", draw.uniform(1, 15))
        load.calls["watch"] += 1


async def measure(load: Load, process: int) -> list[Sample]:
    """Note memory and handles until the time is over."""
    begin, samples = time.perf_counter(), []
    while time.perf_counter() < load.until:
        samples.append(sample(process, (time.perf_counter() - begin) / 60))
        await asyncio.sleep(EVERY)
    return samples


def sample(process: int, minute: float) -> Sample:
    """Return the server at this moment."""
    status = dict(
        line.split(":", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines()
    )
    handles = len(os.listdir(f"/proc/{process}/fd"))
    return Sample(minute, int(status["VmRSS"].split()[0]) / 1024, handles, int(status["Threads"]))


def slope(minutes: list[float], values: list[float]) -> tuple[float, float]:
    """Return the growth a minute by least squares, and its standard error.

    >>> rounded = [round(each, 6) for each in slope([0, 1, 2, 3], [5, 7, 9, 11])]
    >>> rounded
    [2.0, 0.0]
    """
    x, y = np.array(minutes) - np.mean(minutes), np.array(values) - np.mean(values)
    growth = float(x @ y / (x @ x))
    rest = y - growth * x
    return growth, float(np.sqrt(rest @ rest / max(1, len(x) - 2) / (x @ x)))


async def soak(port: int, process: int, minutes: float, clients: int) -> tuple[Load, list[Sample]]:
    """Let all clients work; return what happened and the samples."""
    load = Load(port, time.perf_counter() + 60 * minutes)
    await load.begin(None)
    kinds: list[Callable[[Load, random.Random], Awaitable[None]]] = [
        (work, work, look, work, watch)[at % 5] for at in range(clients)
    ]
    measuring = asyncio.create_task(measure(load, process))
    await asyncio.gather(*(kind(load, random.Random(at)) for at, kind in enumerate(kinds)))
    return load, await measuring


def main() -> int:
    """Run, print, and say whether the server levels off."""
    parser = argparse.ArgumentParser(description="a server that is never left in peace")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--memory", type=float, default=16, help="MB that open studies may take")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", _SERVER, f"{folder}/studies.db"]
        process = subprocess.Popen(
            [*command, str(int(given.memory * 1e6))], stdout=subprocess.PIPE, text=True
        )
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            port = int(line.split("http://127.0.0.1:")[1].split("/")[0].split()[0])
            load, samples = asyncio.run(soak(port, process.pid, given.minutes, given.clients))
        finally:
            process.send_signal(signal.SIGINT)
            ended = process.wait(60)
    for each in samples[:: max(1, len(samples) // 20)]:
        print(f"  {each.minute:5.1f} min {each.megabytes:8.1f} MB {each.handles:5} handles "
              f"{each.threads:4} threads")  # fmt: skip
    print(f"  {len(load.studies)} studies; calls: {dict(load.calls)}")
    for words, number in load.errors.most_common(10):
        print(f"  WRONG, {number} times: {words}")
    last = [each for each in samples if each.minute >= given.minutes * 2 / 3]
    findings = [Finding("errors", sum(load.errors.values()), 0, False),
                Finding("exit status of the server", abs(ended), 0, False)]  # fmt: skip
    times = [each.minute for each in last]
    for name, values, bound in (
        ("megabytes", [each.megabytes for each in last], SLOPE),
        ("handles", [float(each.handles) for each in last], HANDLES),
    ):
        growth, error = slope(times, values)
        print(f"  {name} a minute in the last third: {growth:.3f} ± {error:.3f}")
        findings.append(Finding(f"growth of {name} a minute", growth, bound, False))
    for finding in findings:
        print(finding)
    return exit_status(findings, given.json)


if __name__ == "__main__":
    sys.exit(main())
