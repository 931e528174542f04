"""Top-down specialisation as it is written down: every candidate tried on every record, at every step."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from ontomask.attributes import Attribute

GRID = 2**30
Codes = tuple[int, ...]


@dataclass(frozen=True)
class Node:
    """Codes of an attribute that are written as one; `level` of its tree, None for a range."""

    attribute: int
    codes: Codes
    level: int | None


@dataclass
class Plain:
    """Records as (codes, class, confidential value), and what they must satisfy."""

    records: Sequence[tuple[Codes, int, int]]
    attributes: Sequence[Attribute]
    L: int
    K: int
    C: float = 1.0
    k: int = 1
    has_target: bool = True
    tiers: Sequence[int] = ()
    mim: Sequence[float] = ()
    needs_gain: bool = True
    cut: list[Node] = field(default_factory=list)
    steps: list[tuple[Node, tuple[Node, ...], float]] = field(default_factory=list)

    def run(self) -> None:
        """Do the best valid specialisation, until there is none."""
        for j, attribute in enumerate(self.attributes):
            level = None if attribute.levels is None else len(attribute.levels) - 1
            self.cut.append(Node(j, tuple(sorted({codes[j] for codes, _, _ in self.records})), level))
        while valid := [*self.valid()]:
            node, children, gain = min(valid, key=self.rank)
            self.cut = [one for one in self.cut if one != node] + [*children]
            self.steps.append((node, children, gain))

    def valid(self) -> Iterator[tuple[Node, tuple[Node, ...], float]]:
        """The specialisations that are useful and leave a table that satisfies everything."""
        for node in self.cut:
            for children in self.specialisations(node):
                gain = self.gain(children)
                changed = [one for one in self.cut if one != node] + [*children]
                if (gain > 0 or not self.needs_gain) and self.holds(changed):
                    yield node, children, gain

    def rank(self, one: tuple[Node, tuple[Node, ...], float]) -> tuple[float, ...]:
        node, children, gain = one
        j = node.attribute
        tier, mim = (list(given)[j] if given else 0 for given in (self.tiers, self.mim))
        # Of the splits of one range that tie, the first; its children all start with the same code.
        return (tier, -mim, -gain, j, children[0].codes[0], len(children[0].codes))

    def specialisations(self, node: Node) -> Iterator[tuple[Node, ...]]:
        attribute, j = self.attributes[node.attribute], node.attribute
        if node.level is not None:
            levels = attribute.levels
            assert levels is not None
            for level in range(node.level - 1, -1, -1):
                parts: dict[int, list[int]] = {}
                for code in node.codes:
                    parts.setdefault(int(levels[level, code]), []).append(code)
                label = int(levels[node.level, node.codes[0]])
                if len(parts) > 1 or (label not in parts and not self.needs_gain):
                    yield tuple(Node(j, tuple(part), level) for part in parts.values())
                    return
            return
        if attribute.missing in node.codes:
            present = tuple(code for code in node.codes if code != attribute.missing)
            if present:
                yield Node(j, present, None), Node(j, (attribute.missing,), None)
            return
        for at in range(1, len(node.codes)):
            yield Node(j, node.codes[:at], None), Node(j, node.codes[at:], None)

    def gain(self, children: tuple[Node, ...]) -> float:
        """InfoGain in bits, on the grid."""
        j = children[0].attribute
        within = [[r for r in self.records if r[0][j] in child.codes] for child in children]
        together = [r for part in within for r in part]
        if not self.has_target:
            return round(entropy([i for i, part in enumerate(within) for _ in part]) * GRID) / GRID
        gained = entropy([r[1] for r in together]) - sum(
            len(part) / len(together) * entropy([r[1] for r in part]) for part in within
        )
        return round(gained * GRID) / GRID

    def holds(self, cut: Sequence[Node]) -> bool:
        """LKC on every set of at most L columns, and k on all of them."""
        number = [
            {c: i for i, n in enumerate(cut) if n.attribute == j for c in n.codes} for j in range(self.m)
        ]
        rows = [
            (tuple(number[j][code] for j, code in enumerate(codes)), ill) for codes, _, ill in self.records
        ]
        if min(Counter(values for values, _ in rows).values()) < self.k:
            return False
        for size in range(1, min(self.L, self.m) + 1):
            for chosen in combinations(range(self.m), size):
                groups: dict[Codes, list[int]] = {}
                for values, ill in rows:
                    groups.setdefault(tuple(values[j] for j in chosen), []).append(ill)
                for ills in groups.values():
                    if len(ills) < self.K or max(Counter(ills).values()) / len(ills) > self.C + 1e-9:
                        return False
        return True

    @property
    def m(self) -> int:
        return len(self.attributes)


def entropy(values: Sequence[int]) -> float:
    """In bits."""
    shares = [n / len(values) for n in Counter(values).values()]
    return -sum(share * math.log2(share) for share in shares)
