"""Counts for Prometheus, in its text format.

Written by hand: counters and one histogram in one process need few lines, and no other package.
Labels come from fixed sets (routes, methods, statuses), so that strangers cannot make them grow.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping

TYPE = "text/plain; version=0.0.4; charset=utf-8"
BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_Labels = tuple[tuple[str, str], ...]


class Counter:
    """A number that only grows, one for each set of labels.

    Parameters
    ----------
    name, words
        What is counted, for machines and for people.
    """

    def __init__(self, name: str, words: str) -> None:
        self.name, self.words = name, words
        self._counts: dict[_Labels, int] = {}

    def add(self, **labels: str) -> None:
        """Count one more."""
        key = tuple(sorted(labels.items()))
        self._counts[key] = self._counts.get(key, 0) + 1

    def lines(self) -> Iterable[str]:
        """Yield it in the text format."""
        yield from _head(self.name, self.words, "counter")
        for labels, count in sorted(self._counts.items()):
            yield f"{self.name}{_shown(labels)} {count}"


class Histogram:
    """How many things took how long, one for each set of labels.

    Parameters
    ----------
    name, words
        What is measured, for machines and for people.
    """

    def __init__(self, name: str, words: str) -> None:
        self.name, self.words = name, words
        self._seen: dict[_Labels, tuple[list[int], list[float]]] = {}

    def observe(self, seconds: float, **labels: str) -> None:
        """Count one more that took so long."""
        key = tuple(sorted(labels.items()))
        counts, total = self._seen.setdefault(key, ([0] * (len(BOUNDS) + 1), [0.0]))
        counts[bisect_left(BOUNDS, seconds)] += 1
        total[0] += seconds

    def lines(self) -> Iterable[str]:
        """Yield it in the text format."""
        yield from _head(self.name, self.words, "histogram")
        for labels, (counts, total) in sorted(self._seen.items()):
            sofar = 0
            for bound, count in zip((*map(str, BOUNDS), "+Inf"), counts, strict=True):
                sofar += count
                yield f"{self.name}_bucket{_shown((*labels, ('le', bound)))} {sofar}"
            yield f"{self.name}_sum{_shown(labels)} {total[0]!r}"
            yield f"{self.name}_count{_shown(labels)} {sofar}"


class Metrics:
    """Everything that a server counts.

    Examples
    --------
    >>> metrics = Metrics()
    >>> metrics.logins.add(result="right")
    >>> print(metrics.text({"budgeted_connections": ("Connections.", 3)}))
    ... # doctest: +ELLIPSIS, +NORMALIZE_WHITESPACE
    # HELP budgeted_connections Connections.
    # TYPE budgeted_connections gauge
    budgeted_connections 3
    ...
    budgeted_logins_total{result="right"} 1
    ...
    """

    def __init__(self) -> None:
        self.requests = Counter("budgeted_http_requests_total", "Requests that were answered.")
        self.seconds = Histogram(
            "budgeted_http_request_duration_seconds", "How long answers took, without streams."
        )
        self.logins = Counter("budgeted_logins_total", "Attempts to log in.")
        self.changes = Counter("budgeted_changes_total", "Changes to studies that were made.")

    def text(self, gauges: Mapping[str, tuple[str, float]]) -> str:
        """Return all of it in the text format, with what is measured at this moment."""
        lines: list[str] = []
        for name, (words, value) in gauges.items():
            lines += [*_head(name, words, "gauge"), f"{name} {value}"]
        each: Counter | Histogram
        for each in (self.requests, self.seconds, self.logins, self.changes):
            lines += each.lines()
        return "\n".join(lines) + "\n"


def _head(name: str, words: str, kind: str) -> tuple[str, str]:
    return f"# HELP {name} {words}", f"# TYPE {name} {kind}"


def _shown(labels: _Labels) -> str:
    if not labels:
        return ""
    escaped = (
        (name, value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n"))
        for name, value in labels
    )
    return "{" + ",".join(f'{name}="{value}"' for name, value in escaped) + "}"
