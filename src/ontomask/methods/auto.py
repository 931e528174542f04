"""The method that loses least for what is asked: that is annealing, and t-first where a plan asks for t.

t-first builds closeness into its groups, where any other method has to join those that lack it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import ClassVar

from ontomask.methods.annealing import Annealing
from ontomask.methods.base import Masking, Method
from ontomask.methods.t_first import TFirst
from ontomask.methods.task import Task
from ontomask.privacy import Closeness
from ontomask.privacy.requirement import Requirement


@dataclass(frozen=True)
class Auto(Annealing):
    """Annealing, or t-first."""

    name: ClassVar[str] = "auto"
    words: ClassVar[str] = (
        "People with the most similar values were put together in groups of at least {k}, which were changed "
        "in many small steps, as long as less had to be changed in what the records mean; everybody in a "
        "group was given the same values (the one that usually loses least for what was asked)."
    )

    def chosen(self, requirements: Sequence[Requirement], *, is_central: bool) -> Method:
        """The method that is used."""
        if is_central and any(isinstance(one, Closeness) for one in requirements):
            return TFirst(blank=self.blank)
        return Annealing(**{one.name: getattr(self, one.name) for one in fields(Annealing)})

    def searches(self, task: Task) -> bool:
        return self._chosen_for(task).searches(task)

    def masking(self, task: Task) -> Masking:
        return self._chosen_for(task).masking(task)

    def _chosen_for(self, task: Task) -> Method:
        is_central = not any(attribute.is_truthful for attribute in task.attributes)
        return self.chosen(task.requirements, is_central=is_central)
