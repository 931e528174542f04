"""The method that loses least for what is asked: that is annealing, and t-first where a plan asks for t.

t-first builds closeness into its groups, where any other method has to join those that lack it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ontomask.methods.annealing import Annealing
from ontomask.methods.base import Masking
from ontomask.methods.t_first import TFirst
from ontomask.methods.task import Task
from ontomask.privacy import Closeness


@dataclass(frozen=True)
class Auto(Annealing):
    """Annealing, or t-first."""

    name: ClassVar[str] = "auto"
    words: ClassVar[str] = (
        "People with the most similar values were put together in groups of at least {k}, which were changed "
        "in many small steps, as long as less had to be changed in what the records mean; everybody in a "
        "group was given the same values (the method that loses least for what was asked)."
    )

    def masking(self, task: Task) -> Masking:
        asks_for_t = any(isinstance(one, Closeness) for one in task.requirements)
        is_central = not any(attribute.is_truthful for attribute in task.attributes)
        if asks_for_t and is_central:
            return TFirst(blank=self.blank).masking(task)
        return super().masking(task)
