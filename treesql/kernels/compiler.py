"""The compiler of kernels, numba, and the cache of what it has compiled. To import it takes a third of a second.

An entry of the cache is a file of its own: one kernel for one signature. Its name has a digest of all that the code
depends on: the kernel's bytecode and constants, those of the kernels that it calls, the signature, the processor, and
the versions of Python, numba, llvmlite and NumPy. So an entry never goes stale, whatever the paths and times of the
sources, and all installations of a user share one cache. Entries are pickles, which can run anything when they are
loaded: only those are loaded that the user or root has written and that nobody else can write.
"""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import stat
import sys
import tempfile
import threading
import time
import types as python_types
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core import compiler as numba_compiler
from numba.core import types
from numba.core.caching import NullCache
from numba.core.compiler_lock import global_compiler_lock
from numba.core.serialize import dumps

from treesql import kernels
from treesql.kernels.compiling import CACHE_SUFFIX, Kernel, cache_folder, name_of

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

DIGEST_BYTES = 32
"""Bytes of the digest at the beginning of an entry, that of the rest."""

LIKELY_SECONDS = 1.5
"""Time to compile a kernel that was never compiled."""

TIMES = "times.json"
"""File of the cache with the seconds that kernels, and groups of them, took to compile, by name."""

_VERSIONS = repr((sys.implementation.cache_tag, numba.__version__, llvmlite.__version__, np.__version__))


def call(kernel: Kernel, arguments: tuple[Any, ...]) -> Any:
    """Call the compiled code of a kernel, and compile it first if neither this process nor the cache has it."""
    compiled = dispatcher(kernel)
    signature = tuple(compiled.typeof_pyval(argument) for argument in arguments)
    if signature not in compiled.overloads:
        _compile_pending(kernel, signature)
        if not entry_of(kernel, signature).exists():
            missing = _kernels_reached(kernel)
            seconds = read_times().get(name_of(kernel), LIKELY_SECONDS * len(missing))
            with kernels.Compilation(len(missing), seconds, 1) as compilation, _counting(compilation):
                compiled.compile(signature)
    return compiled(*arguments)


def _compile_pending(kernel: Kernel, signature: tuple[Any, ...]) -> None:
    """Have compiled what the process is going to call if a kernel is missing; other threads wait for that."""
    if kernels.when_missing and not entry_of(kernel, signature).exists():
        with _pending:
            if kernels.when_missing:
                kernels.when_missing.pop()()


_pending = threading.Lock()


@cache
def dispatcher(kernel: Kernel) -> Any:
    """Return numba's dispatcher of a kernel."""
    njit: Any = numba.njit  # whose types know nothing of no_cfunc_wrapper
    made = njit(nogil=True, no_cfunc_wrapper=True, **kernel.targetoptions)(kernel.py_func)
    compile_one = made.compile

    def compile_locked(signature: Any) -> Any:
        with _locked(name_of(kernel)):
            return compile_one(signature)

    made._cache, made.compile = _Entries(kernel), compile_locked
    return made


def type_of(kernel: Kernel) -> Any:
    """Return numba's type of a kernel, for calls by other kernels."""
    return types.Dispatcher(dispatcher(kernel))


def entry_of(kernel: Kernel, signature: tuple[Any, ...]) -> Path:
    """Return the file of the cache of a kernel and the types of its arguments."""
    target = dispatcher(kernel).targetctx.codegen().magic_tuple()
    parts = (_digest(kernel), str(signature), repr(sorted(kernel.targetoptions.items())), repr(target), _VERSIONS)
    key = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:DIGEST_BYTES]
    return cache_folder() / f"{name_of(kernel)}-{key}{CACHE_SUFFIX}"


def size() -> tuple[int, int]:
    """Return the number of entries of the cache and their bytes."""
    with suppress(OSError):
        sizes = [path.stat().st_size for path in cache_folder().iterdir() if path.suffix == CACHE_SUFFIX]
        return len(sizes), sum(sizes)
    return 0, 0


def read_times() -> dict[str, float]:
    """Return the seconds that kernels and groups of them took to compile when they last were, by name."""
    with suppress(OSError, ValueError, AttributeError):
        times = json.loads((cache_folder() / TIMES).read_text("utf-8"))
        return {str(name): float(seconds) for name, seconds in times.items()}
    return {}


def add_times(times: dict[str, float]) -> None:
    """Keep the seconds that kernels, or groups of them, took to compile."""
    with suppress(OSError):
        _write(cache_folder() / TIMES, json.dumps({**read_times(), **times}, sort_keys=True).encode())


class _Entries(NullCache):
    """The entries of a kernel in the cache, as numba asks for them."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel

    @property
    def cache_path(self) -> str:
        return str(cache_folder())

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the code for a signature; None if it is to be compiled."""
        target_context.refresh()
        with suppress(Exception):  # a pickle of other sources can fail in any way
            payload = _read(entry_of(self._kernel, _arguments(sig)))
            if payload is not None:
                rebuild: Any = numba_compiler.CompileResult._rebuild
                return rebuild(target_context, *pickle.loads(payload))
        self._begin = time.monotonic()
        return None

    def save_overload(self, sig: Any, cres: Any) -> None:
        """Keep the code for a signature. Without a place for it, the next process compiles it again."""
        for compilation in _Counted.running:
            compilation.done += 1
        if cres.library.has_dynamic_globals or any(not part.can_cache for part in cres.lifted):
            return
        payload: bytes = dumps(cres._reduce())  # type: ignore[no-untyped-call]
        with suppress(OSError):
            _write(entry_of(self._kernel, _arguments(sig)), hashlib.sha256(payload).digest() + payload)
        add_times({name_of(self._kernel): round(time.monotonic() - self._begin, 2)})


class _Counted:
    """Compilations that count the kernels that are compiled."""

    running: list[kernels.Compilation] = []


@contextmanager
def _counting(compilation: kernels.Compilation) -> Iterator[None]:
    _Counted.running.append(compilation)
    try:
        yield
    finally:
        _Counted.running.remove(compilation)


def _arguments(signature: Any) -> tuple[Any, ...]:
    """The types of the arguments of a signature of numba, which may be these alone."""
    return tuple(getattr(signature, "args", signature))


def _read(path: Path) -> bytes | None:
    """The pickle of an entry; None if there is none, it is damaged, or somebody else could have written it."""
    if not _is_trusted(os.stat(path.parent)):
        return None
    with open(path, "rb") as file:
        if not _is_trusted(os.fstat(file.fileno())):
            return None
        digest, payload = file.read(DIGEST_BYTES), file.read()
    return payload if hashlib.sha256(payload).digest() == digest else None


def _is_trusted(status: os.stat_result) -> bool:
    """Whether the user or root has written a file, and nobody else can."""
    if not hasattr(os, "geteuid"):
        return True
    return status.st_uid in (os.geteuid(), 0) and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _write(path: Path, content: bytes) -> None:
    """Write a file whole, whoever writes it at the same time; only the user can read it. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not _is_trusted(os.stat(path.parent)):
        raise PermissionError(f"somebody else can write to {path.parent}")
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".")  # of mode 0600
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


@contextmanager
def _locked(name: str) -> Iterator[None]:
    """Let no other process compile a kernel meanwhile, and no other thread any: one that held the lock of a kernel
    while it waited for numba's own would keep other processes waiting."""
    with global_compiler_lock:
        _set_lock(name, True)
        try:
            yield
        finally:
            _set_lock(name, False)


def _set_lock(name: str, held: bool) -> None:
    """Take or release the lock of a kernel, where there are such: not in a folder that is only read."""
    with suppress(OSError):
        if fcntl is not None:
            place = zlib.crc32(name.encode())
            fcntl.lockf(_lock_file(str(cache_folder())), fcntl.LOCK_EX if held else fcntl.LOCK_UN, 1, place)


@cache
def _lock_file(path: str) -> int:
    """The file whose bytes are the locks of kernels; closing it would release all of them."""
    os.makedirs(path, exist_ok=True, mode=0o700)
    return os.open(os.path.join(path, "lock"), os.O_RDWR | os.O_CREAT, 0o600)


@cache
def _kernels_reached(kernel: Kernel) -> frozenset[Kernel]:
    """A kernel and those that it calls."""
    named = {value for value in _globals_read(kernel.py_func).values() if isinstance(value, Kernel)}
    return frozenset({kernel}.union(*(_kernels_reached(other) for other in named if other is not kernel)))


@cache
def _digest(kernel: Kernel) -> str:
    """A digest of what a kernel is compiled from."""
    parts = [*_describe_code(kernel.py_func.__code__, kernel.py_func.__doc__), repr(kernel.py_func.__defaults__)]
    for name, value in sorted(_globals_read(kernel.py_func).items()):
        parts.append(f"{name}={_describe(value, kernel)}")
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _describe_code(code: python_types.CodeType, doc: str | None) -> Iterator[str]:
    """The parts of a code object that decide what it computes."""
    yield code.co_code.hex()
    yield repr((code.co_varnames, code.co_names, code.co_freevars))
    for constant in code.co_consts:
        if isinstance(constant, python_types.CodeType):
            yield from _describe_code(constant, None)
        elif constant != doc or doc is None:
            yield repr(constant)


def _globals_read(function: Callable[..., Any]) -> dict[str, Any]:
    """The values of the names that a function takes from its module, and from what it encloses."""
    code: Any = function.__code__
    names, codes = set(code.co_names), [code]
    while codes:
        for constant in codes.pop().co_consts:
            if isinstance(constant, python_types.CodeType):
                names.update(constant.co_names)
                codes.append(constant)
    outer: dict[str, Any] = function.__globals__
    found = {name: outer[name] for name in names if name in outer}
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        found[name] = cell.cell_contents
    for module in [value for value in found.values() if isinstance(value, python_types.ModuleType)]:
        if module.__name__.startswith("treesql."):
            found |= {f"{module.__name__}.{name}": vars(module)[name] for name in names if name in vars(module)}
    return found


def _describe(value: Any, within: Kernel) -> str:
    """A text that differs where what is compiled differs."""
    if isinstance(value, Kernel):
        return "itself" if value is within else _digest(value)
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{value.shape}{hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, type):
        return f"{value.__module__}.{value.__qualname__}{getattr(value, '_fields', '')}"
    if isinstance(value, python_types.ModuleType):
        return value.__name__
    if isinstance(value, tuple):
        return f"({', '.join(_describe(part, within) for part in value)})"
    if callable(value):
        return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', type(value).__name__)}"
    return f"{type(value).__name__} {value!r}"
