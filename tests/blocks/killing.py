"""A method whose process dies when it masks its first block, once."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from pathlib import Path

from ontomask.methods import Masking, Task
from ontomask.methods.resampling import Resampling


@dataclass(frozen=True)
class Killing(Resampling):
    """Resampling; whoever is the first to make the file `once` is killed."""

    once: str = ""

    def masking(self, task: Task) -> Masking:
        try:
            Path(self.once).touch(exist_ok=False)
        except FileExistsError:
            return super().masking(task)
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError("it lives")
