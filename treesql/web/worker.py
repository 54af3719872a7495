"""A process that answers requests, one at a time, on a connection of its own: `python -m treesql.web.worker SETTINGS`.

It reads requests from standard input and writes answers to standard output. SIGINT stops the request that it works on;
what does not end by it, ends with the process.
"""

from __future__ import annotations

import io
import json
import os
import select
import signal
import sys
from types import FrameType
from typing import BinaryIO, cast

from treesql import process
from treesql.web import answers, messages
from treesql.web.answer_files import AnswerFile
from treesql.web.site import Site

NICE = 5
"""How far heavy requests stand back behind light ones, and other processes, where these need the processors."""

REPEATS = 2
"""Maximum number of times that an answer is made again, as its folder has changed."""

_interrupts: list[int] = []
"""The signals that came."""


class Messages(io.RawIOBase):
    """A file that gets whole messages: an interrupt waits until one is written. Its reader reads on, to have it end."""

    is_writing = False

    def __init__(self, out: BinaryIO) -> None:
        self._out = out

    def writable(self) -> bool:
        """Whether it can be written to: yes."""
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        """Write a message. Raises KeyboardInterrupt where an interrupt came meanwhile."""
        before = len(_interrupts)
        Messages.is_writing = True
        try:
            self._out.write(data)
            self._out.flush()
        finally:
            Messages.is_writing = False
        if len(_interrupts) > before:
            raise KeyboardInterrupt
        return len(data)


def main(settings: str) -> None:
    """Answer requests until standard input ends. settings: of the site, and the memory of this process, as JSON."""
    process.use_one_thread_for_algebra()
    out = cast(BinaryIO, Messages(os.fdopen(os.dup(1), "wb")))
    os.dup2(2, 1)  # what libraries print is no answer
    options = json.loads(settings)
    with process.of_command_line():
        process.limit(memory=options.pop("memory"))
        site = Site(**options)
        site.warm()
        signal.signal(signal.SIGINT, _interrupt)
        sys.unraisablehook = _report_unraisable
        is_niced = False
        while True:
            try:
                site.renew()
                if process.memory_is_short():
                    os._exit(0)  # memory that was in use once may stay in use
                _send(out, messages.READY, len(_interrupts))
                site.prepare()
                while not _has_message(sys.stdin.buffer) and site.try_example(lambda: _has_message(sys.stdin.buffer)):
                    pass
                message = messages.read(sys.stdin.buffer)
                if message is None:
                    os._exit(0)  # nothing was written that has to be closed
                path, query, is_heavy = json.loads(message[1])
                if is_heavy and not is_niced and hasattr(os, "nice"):
                    os.nice(NICE)
                    is_niced = True
                _answer(site, path, query, out)
            except KeyboardInterrupt:
                continue


def _has_message(file: BinaryIO) -> bool:
    """Whether a request waits, or the end of the file; where that cannot be asked, none does."""
    return hasattr(select, "poll") and bool(select.select([file], [], [], 0)[0])


def _interrupt(number: int, frame: FrameType | None) -> None:
    _interrupts.append(number)
    if not Messages.is_writing:
        raise KeyboardInterrupt


def _report_unraisable(args: sys.UnraisableHookArgs) -> None:
    if args.exc_type is not KeyboardInterrupt:  # raised in a callback, where Python ignores it
        sys.__unraisablehook__(args)


def _answer(site: Site, path: str, query: str, out: BinaryIO) -> None:
    """Answer a request: again where the files of a folder have changed meanwhile, and nothing of it was sent."""
    for repeats in range(REPEATS, -1, -1):
        answer, failure = site.answer(path, query), None
        with AnswerFile(out, answer, site.begin_at) as file:
            try:
                answer.write(cast(BinaryIO, file))
            except Exception as error:
                failure = site.failure(error)
            failed = failure is not None or answer.status != answers.OK
            has_changed = failed and site.has_changed()
            if has_changed and repeats and not file.begun:
                continue
            if has_changed and file.begun:
                failure = answers.CHANGED
            if failure is None:
                file.end()
        break
    if failure is not None and file.begun:
        _send(out, messages.FAILED, failure.said)
    elif failure is not None:
        with AnswerFile(out, failure) as file:
            failure.write(cast(BinaryIO, file))
            file.end()
    _send(out, messages.END)
    site.finish()


def _send(out: BinaryIO, kind: bytes, content: object = b"") -> None:
    out.write(messages.pack(kind, content))
    out.flush()


if __name__ == "__main__":
    main(sys.argv[1])
