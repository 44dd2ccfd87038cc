"""Files are there whole or not at all, also on a disk that is full."""

import errno
import os

import pyarrow
import pytest

from budgeted.errors import AccessError, RunnerError
from budgeted.experiments import run_files
from budgeted.files import write_atomically
from budgeted.web.auth.credentials import remove_line, write_line

WRITERS = {
    "any file": (OSError, lambda path, _: write_atomically(path, b"new")),
    "a run": (RunnerError, lambda path, _: run_files.write(pyarrow.table({"a": [1]}), {}, path)),
    "a password": (AccessError, lambda path, _: write_line(path, "anna", "new")),
    "a removal": (AccessError, lambda path, _: remove_line(path, "a")),
}
OLD = b"a: 200\na 200\n"


@pytest.mark.parametrize("call", ["fsync", "replace"])
@pytest.mark.parametrize(("error", "write"), WRITERS.values(), ids=WRITERS)
def test_a_full_disk_leaves_what_was_there_and_nothing_else(
    tmp_path, monkeypatch, call, error, write
):
    path = tmp_path / "file"
    path.write_bytes(OLD)

    def no_room(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, call, no_room)
        for _ in range(3):
            with pytest.raises(error, match="No space left on device"):
                write(path, patch)
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == OLD


def test_an_exclusive_file_takes_no_place_that_is_taken(tmp_path):
    path = tmp_path / "file"
    write_atomically(path, b"first", exclusive=True)
    with pytest.raises(FileExistsError):
        write_atomically(path, b"second", exclusive=True)
    assert path.read_bytes() == b"first"
    write_atomically(path, b"third")
    assert path.read_bytes() == b"third"
    assert list(tmp_path.iterdir()) == [path]
    assert os.name != "posix" or path.stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(os.name != "posix", reason="there are no such modes")
def test_results_are_for_colleagues_as_far_as_the_system_lets_them(tmp_path):
    usual = tmp_path / "usual"
    usual.touch()  # as the umask of who runs the tests has it
    run_files.write(pyarrow.table({"a": [1]}), {}, tmp_path / "results.parquet")
    write_atomically(tmp_path / "report.md", b"", private=False)
    for name in ("results.parquet", "report.md"):
        assert (tmp_path / name).stat().st_mode == usual.stat().st_mode
