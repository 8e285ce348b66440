"""Forwards a program's output, as it comes, to a file, a notebook or a string."""

from __future__ import annotations

import codecs
import os
import sys
import threading
from collections import deque
from collections.abc import Callable
from typing import IO, Any

__all__ = ["PassedOn"]


class PassedOn:
    """Copies a pipe to a stream in a thread, and stores the last lines, in which mpiexec reports errors.

    The pipe is read to its end even if the stream fails, because a program blocks if nobody reads its output.
    target: anything with write(str), with or without a `buffer` for bytes below it, a file number or a name; or None.
    """

    def __init__(self, source: IO[bytes], target: Any) -> None:
        self.source, self.target = source, target
        self.kept: deque[bytes] = deque(maxlen=64)
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.thread = threading.Thread(target=self._pass_on, daemon=True)
        self.thread.start()

    @property
    def end(self) -> str:
        """The last lines of the output."""
        return b"".join(self.kept).decode(errors="replace")

    def finish(self, timeout: float | None) -> None:
        """Waits until all output has been forwarded."""
        self.thread.join(timeout)

    def _pass_on(self) -> None:
        wants = self.target is not None and self._try(self._flush, self.target)  # earlier output first
        while part := os.read(self.source.fileno(), 1 << 16):
            self.kept.append(part)
            wants = wants and self._try(self._write, part)
        if wants:
            self._try(self._write, b"", True)

    def _write(self, part: bytes, final: bool = False) -> None:
        below = getattr(self.target, "buffer", None)
        if below is not None:
            below.write(part)
            self._flush(below)
        elif text := self.decoder.decode(part, final):
            self.target.write(text)
            self._flush(self.target)

    def _flush(self, stream: Any) -> None:
        if hasattr(stream, "flush"):
            stream.flush()

    def _try(self, act: Callable[..., None], *arguments: Any) -> bool:
        """Whether the call succeeded. BrokenPipeError (our reader has ended) is ignored; other errors are reported."""
        try:
            act(*arguments)
        except BrokenPipeError:
            return False
        except Exception as error:
            if self.target is not sys.__stderr__ and sys.__stderr__ is not None:
                sys.__stderr__.write(
                    f"allport: warning: the program's output is lost: {type(error).__name__}: {error}\n"
                )
            return False
        return True
