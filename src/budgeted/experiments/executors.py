"""Who computes: processes on this machine, or a Dask cluster."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import Any

from budgeted.errors import RunnerError
from budgeted.experiments import sources


@contextmanager
def processes(workers: int | None = None) -> Iterator[Executor]:
    """Give a pool of processes, one per core unless told otherwise.

    Each worker does its linear algebra on one thread: the runs are what is parallel.
    """
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")
    pool = ProcessPoolExecutor(workers, get_context("spawn"), initializer=_begin_worker)
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)  # what is under way may take minutes
        raise
    pool.shutdown()  # waits: a pool that is still ending when Python does complains on stderr


@contextmanager
def dask(address: str) -> Iterator[Executor]:
    """Give an executor on a Dask cluster; ``local`` starts one on this machine."""
    try:
        import distributed
    except ImportError:
        raise RunnerError(
            "a Dask cluster needs the extra 'dask': pip install 'budgeted[dask]'"
        ) from None
    if address == "local":
        with (
            distributed.LocalCluster(
                host="127.0.0.1", dashboard_address=None, threads_per_worker=1, processes=True
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            yield client.get_executor(pure=False)
        return
    try:
        client = distributed.Client(address, timeout="10s")
    except (OSError, ValueError) as error:
        raise RunnerError(f"no Dask scheduler answers at {address!r}: {error}") from error
    with client:
        yield client.get_executor(pure=False)


@contextmanager
def handing_over(executor: Executor, contents: Mapping[str, bytes]) -> Iterator[None]:
    """Hand files of the user, by their hashes, to workers that may be on other machines.

    Processes of this machine read the files themselves; only Dask is handed them.
    """
    client: Any = getattr(executor, "_client", None)  # what Client.get_executor() gives has one
    if not contents or not hasattr(client, "register_plugin"):
        yield
        return
    import distributed

    class HandOver(distributed.WorkerPlugin):  # type: ignore[misc]
        """Keeps contents in the memory of every worker, also of those that join later."""

        def __init__(self, contents: Mapping[str, bytes]) -> None:
            self.contents = dict(contents)

        def setup(self, worker: Any) -> None:
            sources.hand_over(self.contents)

        def teardown(self, worker: Any) -> None:
            sources.forget(self.contents)

    name = f"budgeted-{'-'.join(sorted(each[:12] for each in contents))}"
    client.register_plugin(HandOver(contents), name=name)
    try:
        yield
    finally:
        client.unregister_worker_plugin(name)


def _begin_worker() -> None:
    """Leave Ctrl-C to the parent, and end with it even if it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()

    def follow() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    Thread(target=follow, daemon=True).start()
