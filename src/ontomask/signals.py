"""Signals that end a program, as exceptions: what it laid aside is removed, and a move is not cut in two.

It knows nothing of files. Only the main thread can be interrupted, so in others nothing is done.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

_ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


@contextmanager
def stopped_by_signals() -> Iterator[None]:
    """SIGTERM and SIGHUP end the block as Ctrl-C does, by an exception, so that what it staged is removed.

    A library in whose call it comes may raise another error in its place (DuckDB does); that is put right.
    """
    received: list[int] = []

    def stop(number: int, frame: object = None) -> None:
        received.append(number)
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        sys.exit(128 + number)

    unhandled = (signal.SIG_DFL, signal.default_int_handler)
    with _handled([one for one in _ENDING if signal.getsignal(one) in unhandled], stop):
        try:
            yield
        except Exception:
            if received:
                stop(received[0])
            raise
        if received:  # it came while an object was being removed, where exceptions are lost
            stop(received[0])


@contextmanager
def asked_first(asked: Callable[[], bool]) -> Iterator[None]:
    """Ctrl-C asks, and does what it did before only where the answer is no."""
    before = signal.getsignal(signal.SIGINT)

    def ask(number: int, frame: object) -> None:
        if not asked() and callable(before):
            before(number, frame)  # type: ignore[arg-type]

    with _handled([signal.SIGINT] if callable(before) else [], ask):
        yield


@contextmanager
def handlers_kept() -> Iterator[None]:
    """What a library does with signals in the block is taken back after it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {one: signal.getsignal(one) for one in _ENDING}
    try:
        yield
    finally:
        for one, old in before.items():
            if old is not None:
                signal.signal(one, old)


def ignore_signals() -> None:
    """For the last moments of a program: what is left to do is to remove temporary files."""
    for one in _ENDING:
        signal.signal(one, signal.SIG_IGN)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Signals that would end the block are delivered after it."""
    arrived: list[int] = []
    try:
        with _handled(_ENDING, lambda number, frame: arrived.append(number)):
            yield
    finally:
        for number in arrived:
            signal.raise_signal(number)


@contextmanager
def _handled(signals: Iterable[signal.Signals], handler: Callable[[int, object], object]) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():  # others cannot, and are not interrupted
        yield
        return
    before = {one: signal.getsignal(one) for one in signals}
    known = {one: old for one, old in before.items() if old is not None}  # None: not set by Python
    for one in known:
        signal.signal(one, handler)
    try:
        yield
    finally:
        for one, old in known.items():
            signal.signal(one, old)
