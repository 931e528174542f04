"""Slow, plain, set-based twins of the vectorised code, and random ontologies to try both on."""

from __future__ import annotations

import math

from hypothesis import strategies as st

from ontomask.ontology.core import Ontology
from ontomask.ontology.draft import Draft


@st.composite
def ontologies(draw: st.DrawFn, most: int = 14) -> Ontology:
    """A random DAG with one root and multiple inheritance."""
    n = draw(st.integers(1, most))
    draft = Draft("random")
    names = draw(st.permutations([f"c{i:02d}" for i in range(n)]))
    for name in names:
        draft.concept(name, f"label {name}")
    for i in range(1, n):
        for parent in draw(st.sets(st.integers(0, i - 1), min_size=1, max_size=min(3, i))):
            draft.is_a(names[i], names[parent])
    return draft.finish()


class Plain:
    """Everything by sets and recursion."""

    def __init__(self, ontology: Ontology) -> None:
        self.o = ontology
        self.parents = [set(ontology.parents[c].tolist()) for c in range(len(ontology))]
        self.up: list[dict[int, int]] = []
        self.longest: list[int] = []
        for c in range(len(ontology)):
            reach = {c: 0}
            for p in self.parents[c]:
                for a, h in self.up[p].items():
                    reach[a] = min(reach.get(a, 10**9), h + 1)
            self.up.append(reach)
            self.longest.append(max((self.longest[p] + 1 for p in self.parents[c]), default=0))
        self.shortest = [self.up[c][0] for c in range(len(ontology))]

    def T(self, c: int) -> set[int]:  # noqa: N802 - the papers' name
        return set(self.up[c])

    def below(self, c: int) -> set[int]:
        return {x for x in range(len(self.o)) if c in self.up[x]} - {c}

    def common(self, *concepts: int) -> set[int]:
        return set.intersection(*(self.T(c) for c in concepts))

    def least(self, *concepts: int) -> set[int]:
        """The common ancestors that have no other common ancestor below them."""
        common = self.common(*concepts)
        return {c for c in common if not any(c in self.T(x) for x in common - {c})}

    def lcs(self, *concepts: int) -> int:
        return min(self.common(*concepts), key=lambda c: (-self.longest[c], c))

    def confusion(self, a: int, b: int) -> int:
        return self.up[b][self.lcs(a, b)]

    def path(self, a: int, b: int) -> int:
        return min(self.up[a][c] + self.up[b][c] for c in self.common(a, b))

    def wup(self, a: int, b: int) -> float:
        if a == b:
            return 1.0
        lcs = self.lcs(a, b)
        n1, n2, n3 = self.up[a][lcs], self.up[b][lcs], self.longest[lcs]
        return 2 * n3 / (n1 + n2 + 2 * n3) if n1 + n2 + n3 else 1.0

    def wup_nltk(self, a: int, b: int) -> float:
        if a == b:
            return 1.0
        lcs = min(self.common(a, b), key=lambda c: (-self.shortest[c], self.o.key(c)))
        depth = self.longest[lcs] + 1
        return 2 * depth / (self.path(a, lcs) + self.path(b, lcs) + 2 * depth)

    def wup_ws4j(self, a: int, b: int) -> float:
        deepest = max(self.longest[c] for c in self.common(a, b)) + 2
        return 2 * deepest / (self.longest[a] + self.longest[b] + 4)

    def logsc(self, a: int, b: int) -> float:
        union, shared = len(self.T(a) | self.T(b)), len(self.T(a) & self.T(b))
        return math.log2(1 + (union - shared) / union)

    def hierarchy(self, *concepts: int) -> set[int]:
        tops = self.least(*concepts)
        return {x for c in concepts for x in self.T(c) if self.T(x) & tops}

    def seco(self, c: int) -> float:
        return 1 - math.log(len(self.below(c)) + 1) / math.log(max(len(self.o), 2))
