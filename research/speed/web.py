"""Fifty people at once on one study: do they wait, and is anything lost?

Each client asks for a request and tells its value, over and over, over real sockets; the server is
a process of its own, and so are the clients. First one client alone, then all of them. After that
the journal is compared with what the clients believe.

Who never pauses waits for all others. How long depends on the policy, so there are several scenes,
all with the same bound: the default, whose decisions are good for several requests, where nobody
pauses and with people who take a moment between two calls; a policy that decides at once; and
single feature lookahead, whose decisions are shared by those who ask at the same moment.

python -m research.speed.web [--clients 50] [--seconds 60] [--policy NAME]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from budgeted import Feature, Problem, Study
from budgeted.studies.events import Asked, Told
from research.speed.tasks import serving

FEATURES, CASES, COST = 10, 10_000, Decimal("1.50")
BOUND = 20.0
_STUDY = "crowd"


@dataclass
class Notes:
    """What the clients saw: seconds of each kind of call, values told, and what went wrong."""

    asked: list[float] = field(default_factory=list)
    told: list[float] = field(default_factory=list)
    values: dict[int, tuple[str, str]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)


def begin(database: str, policy: str, depth: int) -> None:
    """Make a study that a minute of asking does not exhaust."""
    features = [Feature(f"f{at}", ("a", "b", "c"), COST) for at in range(FEATURES)]
    problem = Problem(features, ("no", "yes"), (0.5, 0.5), budget=COST * FEATURES * CASES)
    cases = [(f"case {at}", ("no", "yes")[at % 2]) for at in range(CASES)]
    parameters = {"max_depth": depth} if depth else {}
    Study.create(
        database, _STUDY, problem, cases, policy=policy, parameters=parameters, seed=1
    ).release()


@dataclass(frozen=True)
class Scene:
    """Who decides, how long clients pause between two calls on average, and how far one looks."""

    policy: str
    pause: float = 0
    depth: int = 0
    tail: bool = True  # whether the slowest calls are held to the bound as well

    @property
    def words(self) -> str:
        """For people."""
        pauses = f"pauses of {self.pause:g} s" if self.pause else "no pauses"
        ahead = f", {self.depth} purchases ahead" if self.depth else ""
        return f"{self.policy}{ahead}, {pauses}"


SCENES = (
    Scene("auto"),
    Scene("auto", pause=1),
    Scene("round-robin"),
    Scene("sfl", depth=20),
    Scene("sfl", tail=False),
)


class Client:
    """One person: a connection that stays open, a request at a time."""

    def __init__(self, port: int, notes: Notes, pause: float, seed: int) -> None:
        self._port = port
        self._notes = notes
        self._pause = pause
        self._random = random.Random(seed)

    async def work(self, until: float) -> None:
        """Ask and tell until the time is over; never leave a request untold."""
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        try:
            while time.perf_counter() < until:
                answer = await self._call("ask", {}, self._notes.asked)
                if answer is None:
                    continue
                if not answer["requests"]:
                    self._notes.errors.append("the study is exhausted; it needs more cases")
                    break
                for request in answer["requests"]:
                    number = request["number"]
                    value = request["values"][number % 3]
                    path = f"requests/{number}/tell"
                    if await self._call(path, {"value": value}, self._notes.told) is not None:
                        self._notes.values[number] = (request["case"], value)
        finally:
            self._writer.close()

    async def _call(self, path: str, given: Any, times: list[float]) -> Any:
        if self._pause:
            await asyncio.sleep(self._random.expovariate(1 / self._pause))
        body = json.dumps(given).encode()
        head = (
            f"POST /api/studies/{_STUDY}/{path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        start = time.perf_counter()
        self._writer.write(head.encode() + body)
        status, content = await self._answer()
        times.append(time.perf_counter() - start)
        if status != 200:
            self._notes.errors.append(f"{path}: {status} {content[:200]!r}")
            return None
        return json.loads(content)

    async def _answer(self) -> tuple[int, bytes]:
        head = await self._reader.readuntil(b"\r\n\r\n")
        length = next(
            int(line.split(b":")[1])
            for line in head.split(b"\r\n")
            if line.lower().startswith(b"content-length")
        )
        return int(head.split(b" ", 2)[1]), await self._reader.readexactly(length)


async def crowd(port: int, clients: int, seconds: float, pause: float = 0) -> Notes:
    """Let so many clients work side by side."""
    notes = Notes()
    until = time.perf_counter() + seconds
    everybody = [Client(port, notes, pause, seed) for seed in range(clients)]
    await asyncio.gather(*(client.work(until) for client in everybody))
    return notes


def losses(database: str, told: dict[int, tuple[str, str]]) -> list[str]:
    """Compare the journal with what the clients believe; return what does not agree."""
    with Study.open(database, _STUDY) as study:
        entries, state = study.history(), study.state
        pending = len(study.requests("pending"))
    asked = {entry.event.number: entry.event.case
             for entry in entries if isinstance(entry.event, Asked)}  # fmt: skip
    found = {entry.event.number: (asked[entry.event.number], entry.event.value)
             for entry in entries if isinstance(entry.event, Told)}  # fmt: skip
    times = Counter(entry.event.number for entry in entries if isinstance(entry.event, Told))
    wrong = []
    if found != told:
        wrong.append(f"{len(told)} values were told, {len(found)} are in the journal")
    if times and max(times.values()) > 1:
        wrong.append("a value is in the journal twice")
    if state.spent != COST * len(found) or state.reserved != COST * pending:
        wrong.append(f"the money does not add up: {state!r}")
    wanted = {(entry.event.case, line.feature)
              for entry in entries if isinstance(entry.event, Asked)
              for line in entry.event.lines}  # fmt: skip
    if len(wanted) != len(asked):
        wrong.append("a value was asked for twice")
    return wrong


def quantile(times: list[float], share: float) -> float:
    """Return the time that a share of the calls does not exceed, in milliseconds."""
    ranked = sorted(times)
    return 1e3 * ranked[min(len(ranked) - 1, int(share * len(ranked)))]


def report(name: str, notes: Notes, seconds: float) -> None:
    """Print a line for each kind of call."""
    for kind, times in (("ask", notes.asked), ("tell", notes.told)):
        shown = "".join(f"{quantile(times, share):>10.1f}" for share in (0.5, 0.9, 0.99, 1))
        print(f"  {name:<12}{kind:<6}{len(times):>8}{len(times) / seconds:>10.0f}{shown}")


def play(scene: Scene, clients: int, seconds: float, alone: float) -> list[str]:
    """Measure one scene, print what was seen, and return what does not hold."""
    with tempfile.TemporaryDirectory() as folder:
        database = f"{folder}/studies.db"
        begin(database, scene.policy, scene.depth)
        with serving(database) as (process, port):
            asyncio.run(crowd(port, 1, 1))  # whatever is loaded late
            before = asyncio.run(crowd(port, 1, alone / 2))
            many = asyncio.run(crowd(port, clients, seconds, scene.pause))
            after = asyncio.run(crowd(port, 1, alone / 2))
        with Study.open(database, _STUDY) as study:
            told: dict[int, Any] = before.values | many.values | after.values
            first = {each.number: (each.case, str(each.value)) for each in study.requests("told")
                     if each.number not in told}  # fmt: skip
        wrong = losses(database, first | told) + before.errors + many.errors + after.errors
    one = Notes(before.asked + after.asked, before.told + after.told)
    print(f"  {scene.words}")
    print(f"  {'':<18}{'calls':>8}{'per s':>10}{'p50 ms':>10}{'p90':>10}{'p99':>10}{'most':>10}")
    report("one client", one, alone)
    report(f"{clients} clients", many, seconds)
    usual = quantile(one.asked + one.told, 0.5)
    for share in (0.5, 0.99) if scene.tail else (0.5,):
        times = quantile(many.asked + many.told, share) / usual
        print(
            f"  {share:.0%} of their calls take at most {times:.1f} times the median of one client"
        )
        if times > BOUND:
            wrong.append(
                f"{share:.0%} of the calls take {times:.1f} times as long as for one client"
            )
    if process.returncode:
        wrong.append(f"the server ended with {process.returncode}")
    print(*(f"  WRONG: {each}" for each in wrong[:10]), "", sep="\n")
    return wrong


def main() -> int:
    """Measure, print, and say whether all of it holds."""
    parser = argparse.ArgumentParser(description="fifty people at once on one study")
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--alone", type=float, default=10, help="seconds of the single client")
    parser.add_argument("--policy", default="", help="the scenes of this one only")
    given = parser.parse_args()
    wrong = [
        each
        for scene in SCENES
        if given.policy in ("", scene.policy)
        for each in play(scene, given.clients, given.seconds, given.alone)
    ]
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
