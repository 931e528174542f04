"""How far a command is, as data: the phase it is in and the fraction of the whole that is done.

Whoever shows it (a bar, a page) listens; whoever works tells. It knows nothing of what the work is.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ontomask.arrays import Float64, Int64


@dataclass(frozen=True)
class Progress:
    """What is being done, how much of the whole command is done (0 to 1), and what is reached so far."""

    phase: str
    fraction: float
    reached: str = ""


Listener = Callable[[Progress], None]

# Phases of a run and about how long each takes beside the others.
RUN = {"reading": 2.0, "linking": 2.0, "masking": 5.0, "verifying": 1.0}


class Phases:
    """The phases of a command, one after the other, and who listens to it.

    >>> phases = Phases({"reading": 1, "masking": 3}, print)
    >>> phases.tell("reading")
    Progress(phase='reading', fraction=0.0, reached='')
    >>> phases.tell("masking", 0.5, "loss at 80 %")
    Progress(phase='masking', fraction=0.625, reached='loss at 80 %')
    """

    def __init__(self, shares: Mapping[str, float], listener: Listener | None = None) -> None:
        self._shares, self._listener = dict(shares), listener
        self._total = sum(self._shares.values())
        self._so_far = 0.0
        self._stop: Int64 | None = None
        self._since: tuple[str, float] | None = None
        self._seconds: dict[str, float] = {}
        self.ended_early = False
        """Whether something was ended before its time."""

    def tell(self, phase: str, done: float = 0.0, reached: str = "") -> None:
        """Say that a phase has begun, or how much of it is done; one that was not foreseen takes no time."""
        if self._since is None or self._since[0] != phase:
            self._end_phase()
            self._since = phase, perf_counter()
        if self._listener is None:
            return
        if phase in self._shares:
            before = list(self._shares)[: list(self._shares).index(phase)]
            so_far = sum(self._shares[one] for one in before)
            so_far += self._shares[phase] * min(max(done, 0.0), 1.0)
            self._so_far = max(self._so_far, so_far / self._total)
        self._listener(Progress(phase, self._so_far, reached))

    @property
    def seconds(self) -> Mapping[str, float]:
        """How long each phase took until now."""
        if self._since is not None:
            phase = self._since[0]
            self._end_phase()
            self._since = phase, perf_counter()
        return dict(self._seconds)

    def _end_phase(self) -> None:
        if self._since is not None:
            phase, began = self._since
            self._seconds[phase] = self._seconds.get(phase, 0.0) + perf_counter() - began

    def end_early(self) -> bool:
        """Let a search that is going on end soon, with the best that it has; whether it will.

        It will not where nothing is searched for, or if it was told so before. Any thread may call this.
        """
        if self._stop is None or self._stop[0]:
            return False
        self._stop[0] = self.ended_early = True
        return True

    @contextmanager
    def watching(
        self,
        phase: str,
        counter: Int64,
        total: int,
        loss: Float64 | None = None,
        stop: Int64 | None = None,
        every: float = 0.1,
    ) -> Iterator[None]:
        """Tell of a phase while it runs: compiled loops count in `counter` how many of `total` are done, and
        may note in `loss` what they began with and what they have reached. They end early where `stop[0]`
        tells them to.

        The array is read from another thread, so the loops must let it run (`nogil`); several counts, one for
        each worker, are added up.
        """
        self.tell(phase)
        self._stop = stop
        try:
            with self._told_of(phase, counter, total, loss, every):
                yield
        finally:
            self._stop = None

    @contextmanager
    def _told_of(
        self, phase: str, counter: Int64, total: int, loss: Float64 | None, every: float
    ) -> Iterator[None]:
        if self._listener is None or total <= 0:
            yield
            return
        ended = threading.Event()

        def watch() -> None:
            while not ended.wait(every):
                reached = ""
                if loss is not None and loss[0] > 0:
                    reached = f"loss at {100 * loss[1] / loss[0]:.0f} % of that of the first groups"
                self.tell(phase, float(counter.sum()) / total, reached)

        watcher = threading.Thread(target=watch, daemon=True, name=f"watch {phase}")
        watcher.start()
        try:
            yield
        finally:
            ended.set()
            watcher.join()
        self.tell(phase, 1.0)


SILENT = Phases({})
