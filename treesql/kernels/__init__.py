"""Dynamic programs and byte scanners: flat arrays in, arrays out. They import neither Arrow, SQL nor files."""

from __future__ import annotations

from collections.abc import Callable

when_compiling: list[Callable[[int, int], object]] = []
"""Functions called while kernels are compiled, which takes seconds; loading a cached kernel does not.

They are given the number of tasks that are done, at first 0, and that of all; (0, 0) before this process compiles a
kernel by itself.
"""


class Together:
    """What a process has others compile once the first of its kernels is not in the cache.

    pending: called then, once: several processes compile what this one is going to call. told: whether functions of
    `when_compiling` were called.
    """

    pending: Callable[[], object] | None = None
    told = False

    @classmethod
    def compile(cls) -> None:
        """Compile what is pending."""
        work, cls.pending = cls.pending, None
        if work is not None:
            work()

    @classmethod
    def tell_once(cls) -> None:
        """Tell that this process compiles a kernel by itself, unless something was told before."""
        if not cls.told:
            tell(0, 0)


def tell(done: int, n: int) -> None:
    """Call the functions of `when_compiling`."""
    Together.told = True
    for call in when_compiling:
        call(done, n)
