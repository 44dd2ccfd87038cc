"""The allocator of the C library: few arenas, and what is free goes back to the system.

glibc gives each thread an arena of its own, up to eight for each core, and keeps what was freed in
them. A server whose pages are made on many threads then holds several times what it uses, and
looks as if it leaked. Other C libraries have neither of these functions, and do not need them.
"""

from __future__ import annotations

import ctypes
from contextlib import suppress

_ARENA_MAX = -8
"""Number of the option in malloc.h."""
_FEW = 2


def limit_arenas() -> None:
    """Have all threads share two arenas; before they are started."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(_ARENA_MAX, _FEW)


def give_back() -> None:
    """Give memory that is free back to the system; takes some milliseconds."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)
