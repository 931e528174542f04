"""The figures of a run from sums over the parts of a table, where nobody sees all of its tuples at once.

They are those of the families that every run computes, from the same functions: sums of losses, sizes of
classes with how many have them, and the worst that classes reach.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ontomask.arrays import Int64
from ontomask.evaluation.classes import ClassCounts, Sizes, figures_of_counts
from ontomask.evaluation.loss import LossSums
from ontomask.evaluation.reached import named
from ontomask.evaluation.register import finite
from ontomask.evaluation.subject import asked_k, people_of
from ontomask.privacy import Classes, Requirement


@dataclass(frozen=True)
class Judged:
    """What is known of some classes: sizes, how many violate each requirement, and what the worst reach.

    `hidden` are the people of each class, where some have several rows; else its rows.
    """

    sizes: Sizes
    hidden: Sizes
    violating: tuple[int, ...]
    reached: tuple[float, ...]

    @classmethod
    def of(cls, classes: Classes, requirements: Sequence[Requirement]) -> Judged:
        """Look at classes."""
        people: Int64 | None = people_of(requirements, classes)
        return cls(
            Sizes.of(classes.sizes),
            Sizes.of(classes.sizes if people is None else people),
            tuple(int(one.violations(classes).sum()) for one in requirements),
            tuple(one.reached(classes) for one in requirements),
        )

    @classmethod
    def together(cls, parts: Sequence[Judged], requirements: Sequence[Requirement]) -> Judged:
        """Of classes that were judged in parts, each class in one of them."""
        return cls(
            Sizes.together([part.sizes for part in parts]),
            Sizes.together([part.hidden for part in parts]),
            tuple(sum(part.violating[at] for part in parts) for at in range(len(requirements))),
            tuple(
                (max if one.is_bound else min)(part.reached[at] for part in parts)
                for at, one in enumerate(requirements)
            ),
        )


def figures_of_parts(
    requirements: Sequence[Requirement],
    names: Sequence[str],
    losses: LossSums,
    after: Judged,
    before: Judged,
    suppressed: int = 0,
    blanked: int = 0,
) -> dict[str, Any]:
    """The figures of a run; `names` are those of the masked columns."""
    counts = ClassCounts(losses.records, suppressed, blanked, after.sizes, after.hidden, before.sizes)
    return finite(
        figures_of_counts(counts, asked_k(requirements))
        | named(requirements, after.reached, before.reached)
        | losses.figures(names)
    )
