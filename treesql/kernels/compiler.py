"""The compiler of kernels, numba, and the cache of what it has compiled. To import it takes a third of a second.

The name of an entry of the cache has a digest of all that the code depends on: the kernel's bytecode and constants,
those of the kernels that it calls, the signature, the processor, and the versions of Python, numba, llvmlite and NumPy.
So an entry never goes stale, whatever the paths and times of the sources, and all installations of a user share one
cache.
"""

from __future__ import annotations

import gc
import hashlib
import io
import os
import pickle
import sys
import threading
import time
import types as python_types
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import llvmlite.binding
import numba
import numpy as np
from numba.core import compiler as numba_compiler
from numba.core import environment, types
from numba.core.caching import NullCache
from numba.core.compiler_lock import global_compiler_lock
from numba.core.runtime import nrt
from numba.core.serialize import dumps

from treesql import kernels
from treesql.kernels import kernel_cache

KEY_DIGITS = 32
"""Hexadecimal digits of the key in the name of an entry."""

LIKELY_SECONDS_OF_KERNEL = 1.5
"""Time to compile a kernel that was never compiled."""

_OPTIONS: dict[str, Any] = {"nogil": True, "no_cfunc_wrapper": True}
"""Options of numba for all kernels."""

_FLAGS = ("OPT", "BOUNDSCHECK", "DEBUGINFO_DEFAULT", "USING_SVML", "DISABLE_INTEL_SVML")
"""Settings of numba, from environment variables and libraries, that change what is compiled."""

_VERSIONS = repr(
    (
        sys.implementation.cache_tag, numba.__version__, llvmlite.__version__, np.__version__,
        [str(getattr(numba.config, flag, None)) for flag in _FLAGS],
    )
)  # fmt: skip


@runtime_checkable
class Compilable(Protocol):
    """What the compiler needs of a kernel: its name, the function, and options for numba."""

    name: str
    py_func: Callable[..., Any]
    targetoptions: dict[str, Any]

    def __hash__(self) -> int: ...


def call(kernel: Compilable, arguments: tuple[Any, ...]) -> Any:
    """Call the compiled code of a kernel, and compile it first if neither this process nor the cache has it."""
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return kernel.py_func(*arguments)
    compiled = dispatcher(kernel)
    signature = tuple(compiled.typeof_pyval(argument) for argument in arguments)
    if signature not in compiled.overloads:
        if kernels.when_missing and not os.path.exists(entry_of(kernel, signature)):
            _compile_pending()
        # A call would compile as well, and look for extensions of numba first.
        compiled.compile(signature)
    return compiled(*arguments)


def _compile_pending() -> None:
    """Have compiled what the process is going to call; other threads that miss a kernel wait for that."""
    with _pending:
        if kernels.when_missing:
            try:
                kernels.when_missing[0]()
            finally:
                kernels.when_missing.clear()


_pending = threading.Lock()


@cache
def dispatcher(kernel: Compilable) -> Any:
    """Return numba's dispatcher of a kernel."""
    njit: Any = numba.njit  # whose types know nothing of no_cfunc_wrapper
    jitted = njit(**_OPTIONS, **kernel.targetoptions)(kernel.py_func)
    compile_kernel = jitted.compile

    def compile_locked(signature: Any) -> Any:
        with _locked(kernel.name), _reported(kernel, signature), _few_collections():
            return compile_kernel(signature)

    jitted._cache, jitted.compile = _KernelEntries(kernel), compile_locked
    return jitted


def type_of(kernel: Compilable) -> Any:
    """Return numba's type of a kernel, for calls by other kernels."""
    return types.Dispatcher(dispatcher(kernel))


def entry_of(kernel: Compilable, signature: tuple[Any, ...]) -> Path:
    """Return the file of the cache of a kernel and the types of its arguments."""
    target = dispatcher(kernel).targetctx.codegen().magic_tuple()
    types_of_arguments = ", ".join(map(_describe_type, signature))
    options = repr(sorted({**_OPTIONS, **kernel.targetoptions}.items()))
    parts = (_digest(kernel), types_of_arguments, options, repr(target), _VERSIONS)
    key = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:KEY_DIGITS]
    return kernel_cache.cache_folder() / f"{kernel.name}-{key}{kernel_cache.CACHE_SUFFIX}"


@cache
def _know_runtime() -> None:
    """Make the functions of numba's runtime known to the code that is loaded.

    All that `refresh` of numba's context does besides is for what is compiled, which calls it: it imports the
    implementations of all functions that kernels may call, a third of a second.
    """
    for name, address in nrt._nrt.c_helpers.items():  # type: ignore[attr-defined]
        llvmlite.binding.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)


class _Unpickler(pickle.Unpickler):
    """Reads entries of the cache without the modules of numba whose functions were compiled into them."""

    def find_class(self, module: str, name: str) -> Any:
        """Return what an entry names."""
        if (module, name) == (environment.__name__, "_rebuild_env"):
            return _make_environment
        return super().find_class(module, name)


def _make_environment(module: str, constants: list[Any], name: str) -> Any:
    """Return the constants of a compiled function. Compiled code reads no globals, so that its module may be absent."""
    known: Any = environment.lookup_environment(name)  # type: ignore[no-untyped-call]
    if known is None:
        known = environment.Environment(vars(sys.modules[module]) if module in sys.modules else {})
        known.consts[:] = constants
        known.env_name = name
        environment.Environment._memo[name] = known
    return known


class _KernelEntries(NullCache):
    """The entries of a kernel in the cache, as numba asks for them."""

    def __init__(self, kernel: Compilable) -> None:
        self._kernel = kernel

    @property
    def cache_path(self) -> str:
        return str(kernel_cache.cache_folder())

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the code for a signature; None if it is to be compiled."""
        _know_runtime()
        with suppress(Exception):  # a pickle of other sources can fail in any way
            payload = kernel_cache.read_entry(entry_of(self._kernel, _arguments(sig)))
            if payload is not None:
                rebuild: Any = numba_compiler.CompileResult._rebuild
                return rebuild(target_context, *_Unpickler(io.BytesIO(payload)).load())
        self._begin = time.monotonic()
        return None

    def save_overload(self, sig: Any, cres: Any) -> None:
        """Keep the code for a signature. Without a place for it, the next process compiles it again."""
        if _Reported.compilation is not None:
            _Reported.compilation.done += 1
        if cres.library.has_dynamic_globals or any(not part.can_cache for part in cres.lifted):
            return
        payload: bytes = dumps(cres._reduce())  # type: ignore[no-untyped-call]
        with suppress(OSError):
            kernel_cache.write_entry(entry_of(self._kernel, _arguments(sig)), payload)
        kernel_cache.add_times({self._kernel.name: round(time.monotonic() - self._begin, 2)})


class _Reported:
    """The compilation that is reported; numba's lock lets one thread compile at a time."""

    compilation: kernels.Compilation | None = None


@contextmanager
def _reported(kernel: Compilable, signature: Any) -> Iterator[None]:
    """Report the compilation of a kernel, unless the cache has it or another one needs it."""
    known = _Reported.compilation is not None
    with suppress(OSError):
        known = known or kernel_cache.read_entry(entry_of(kernel, _arguments(signature))) is not None
    if known:
        yield
        return
    missing = [reached.name for reached in _kernels_reached(kernel) if not kernel_cache.was_compiled(reached.name)] or [
        kernel.name
    ]
    seconds = kernel_cache.read_times().get(kernel.name, LIKELY_SECONDS_OF_KERNEL * len(missing))
    with kernels.Compilation(len(missing), seconds, 1) as compilation:
        _Reported.compilation = compilation
        try:
            yield
        finally:
            _Reported.compilation = None


def _arguments(signature: Any) -> tuple[Any, ...]:
    """The types of the arguments of a signature of numba, which may be these alone."""
    return tuple(getattr(signature, "args", signature))


@contextmanager
def _locked(name: str) -> Iterator[None]:
    """Let no other process compile a kernel meanwhile, and no other thread any: one that held the lock of a kernel
    while it waited for numba's own would keep other processes waiting."""
    with global_compiler_lock:
        kernel_cache.set_lock(name, True)
        try:
            yield
        finally:
            kernel_cache.set_lock(name, False)


@contextmanager
def _few_collections() -> Iterator[None]:
    """Collect garbage seldom meanwhile: what numba makes of a kernel stays, and to look for garbage among it takes a
    twelfth of the time."""
    before = gc.get_threshold()
    gc.set_threshold(50_000, 20, 50)
    try:
        yield
    finally:
        gc.set_threshold(*before)


@cache
def _kernels_reached(kernel: Compilable) -> frozenset[Compilable]:
    """A kernel and those that it calls."""
    callees = {value for value in _globals_read(kernel.py_func).values() if isinstance(value, Compilable)}
    return frozenset({kernel}.union(*(_kernels_reached(other) for other in callees if other is not kernel)))


@cache
def _digest(kernel: Compilable) -> str:
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
    globals_read = {name: outer[name] for name in names if name in outer}
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        globals_read[name] = cell.cell_contents
    for module in [value for value in globals_read.values() if isinstance(value, python_types.ModuleType)]:
        if module.__name__.startswith("treesql."):
            globals_read |= {f"{module.__name__}.{name}": vars(module)[name] for name in names if name in vars(module)}
    return globals_read


def _describe_type(kind: object) -> str:
    """A text of a type of numba; those of named tuples have the names of their fields."""
    if not isinstance(kind, types.BaseTuple):
        return str(kind)
    tuple_kind: Any = kind
    parts = ", ".join(_describe_type(part) for part in tuple_kind)
    if isinstance(kind, types.BaseNamedTuple):
        made_of = tuple_kind.instance_class
        return f"{made_of.__module__}.{made_of.__qualname__}{made_of._fields}({parts})"
    return f"({parts})"


def _describe(value: Any, within: Compilable) -> str:
    """A text that differs where what is compiled differs."""
    if isinstance(value, Compilable):
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
