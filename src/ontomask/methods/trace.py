"""How a method went from the most general values to the release, step by step, and what stopped it.

Attributes, nodes (as replacements of the masking's attributes) and numbers; labels are put in elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Because = Literal["K", "C", "k", "requirement", "gain"]


@dataclass(frozen=True)
class Step:
    """A specialisation: a node of an attribute became its children, everywhere.

    `gain` is its InfoGain in bits, `mim` the score of the attribute where that counts, and `tier` (from 0)
    how far behind the attributes that match every constraint it is.
    """

    attribute: int
    node: int
    children: tuple[int, ...]
    gain: float
    tier: int
    mim: float | None = None


@dataclass(frozen=True)
class Stop:
    """A node that stays as it is, found out after so many steps.

    `because` of K or C, which would be violated on the attributes `on`, of another requirement, or of no
    gain.
    """

    attribute: int
    node: int
    because: Because
    after: int
    on: tuple[int, ...] = ()
    requirement: str = ""


@dataclass(frozen=True)
class Trace:
    """All steps in their order, all nodes that have children but keep their records, and each attribute's MIM
    where that counts."""

    steps: tuple[Step, ...] = ()
    stops: tuple[Stop, ...] = ()
    mim: tuple[float, ...] = ()
