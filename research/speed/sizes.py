"""A large study on the server: does telling a value take longer than in a small one?

After a value is told, whoever has the page open gets the money, the cards and the last events: this
time is compared for a study of 10 features and one of 1 000 features, 10 000 cases and 50 000
events, while nothing else happens, and while charts are computed in the background. The bytes of
the first load of a page are counted as well, packed and not.

python -m research.speed.sizes [--features 1000] [--cases 10000] [--events 50000] [--json]
"""

from __future__ import annotations

import argparse
import http.client
import json
import re
import signal
import statistics
import sys
import tempfile
import threading
import time
from typing import Any

from research.speed.findings import Finding, exit_status
from research.speed.large import Size, fill

SMALL = Size(features=10, cases=200, events=400)
BOUND = 5.0
_TELLS = 12


class Page:
    """Somebody who has the page of a study open."""

    def __init__(self, port: int, study: str) -> None:
        self._line = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
        self._study = study

    def get(self, path: str, **headers: str) -> tuple[int, bytes, float]:
        """Return the status, the body and the milliseconds of an answer."""
        return self._call("GET", path, None, headers)

    def _call(
        self, method: str, path: str, body: Any, headers: dict[str, str]
    ) -> tuple[int, bytes, float]:
        start = time.perf_counter()
        sent = None if body is None else json.dumps(body)
        self._line.request(method, path, sent, {"Content-Type": "application/json", **headers})
        answer = self._line.getresponse()
        content = answer.read()
        return answer.status, content, 1e3 * (time.perf_counter() - start)

    def pending(self) -> list[int]:
        """Return the numbers of what is under way."""
        _, content, _ = self.get(f"/api/studies/{self._study}/worklist")
        return [each["number"] for each in json.loads(content)["requests"]]

    def tell(self, number: int) -> float:
        """Tell a value and fetch what the page fetches then; return the milliseconds of it all."""
        address = f"/studies/{self._study}"
        told = self._call("POST", f"/api{address}/requests/{number}/tell", {"value": "low"}, {})
        times = [told[2]]
        assert told[0] == 200, told
        spent = re.search(rb'"spent":"([^"]+)"', told[1])
        for part in ("money", f"cards?shown={number}", "recent"):
            status, content, took = self.get(f"{address}/{part}")
            assert status == 200, content
            assert part != "money" or (spent is not None and spent[1] in content), "old money"
            times.append(took)
        return sum(times)


def first_load(page: Page, study: str) -> tuple[int, int]:
    """Return the bytes of a page with its scripts and styles, before charts: packed, and not."""
    sizes = []
    for accepted in ("gzip", "identity"):
        path = f"/studies/{study}"
        text = page.get(path)[1].decode()
        files = re.findall(r'(?:<script src|rel="stylesheet" href|icon" href)="([^"]+)"', text)
        every = [path, *files]
        sizes.append(sum(len(page.get(each, **{"Accept-Encoding": accepted})[1]) for each in every))
    return sizes[0], sizes[1]


def compute(port: int, study: str, done: threading.Event) -> None:
    """Want charts again and again, so that something is always being computed."""
    page = Page(port, study)
    while not done.is_set():
        for chart in ("worth", "error", "purchases"):
            page.get(f"/api/studies/{study}/charts/{chart}?latest=true")


def findings(size: Size) -> list[Finding]:
    """Measure, print what was seen, and return what holds."""
    from research.speed.web import serve  # noqa: PLC0415 - which shows these as well

    with tempfile.TemporaryDirectory() as folder:
        database = f"{folder}/studies.db"
        start = time.perf_counter()
        fill(database, "large", size)
        print(f"  {size} written in {time.perf_counter() - start:.1f} s")
        fill(database, "small", SMALL)
        process, port = serve(database)
        try:
            found = {}
            for study in ("small", "large"):
                page = Page(port, study)
                opened = page.get(f"/studies/{study}")[2]
                again = page.get(f"/studies/{study}")[2]
                packed, plain = first_load(page, study)
                numbers = page.pending()
                page.tell(numbers.pop())
                quiet = [page.tell(numbers.pop()) for _ in range(_TELLS)]
                done = threading.Event()
                others = threading.Thread(target=compute, args=(port, study, done))
                others.start()
                time.sleep(0.5)
                busy = [page.tell(numbers.pop()) for _ in range(_TELLS)]
                done.set()
                others.join()
                found[study] = (quiet, busy)
                alone, beside = statistics.median(quiet), statistics.median(busy)
                print(f"  {study}: first page {opened:.0f} ms, again {again:.0f} ms; loads "
                      f"{packed} bytes packed, {plain} not")  # fmt: skip
                print(f"    after a tell {alone:.1f} ms (most {max(quiet):.1f}); while charts are "
                      f"computed {beside:.1f} ms (most {max(busy):.1f})")  # fmt: skip
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(60)
    usual = statistics.median(found["small"][0])
    ratios = [statistics.median(each) / usual for each in found["large"]]
    claim = "after a tell, money, cards and last events of a large study over those of a small one"
    made = [
        Finding(claim, ratios[0], BOUND, False),
        Finding(f"{claim}, while charts are computed", ratios[1], BOUND, False),
    ]
    for finding in made:
        print(finding)
    return made


def main() -> int:
    """Measure, print, and say whether all of it holds."""
    parser = argparse.ArgumentParser(description="a large study on the server")
    for name in ("features", "cases", "events"):
        parser.add_argument(f"--{name}", type=int, default=getattr(Size(), name))
    parser.add_argument("--json", action="store_true")
    given = vars(parser.parse_args())
    as_json = given.pop("json")
    return exit_status(findings(Size(**given)), as_json)


if __name__ == "__main__":
    sys.exit(main())
