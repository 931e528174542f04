"""Slow, plain, set-based twins of the vectorised code, and random ontologies to try both on."""

from __future__ import annotations

import math
from collections import Counter

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


@st.composite
def worded_ontologies(draw: st.DrawFn, most: int = 8) -> Ontology:
    """A random DAG whose concepts share synonyms, have parts (or none has), and glosses of few words."""
    bare = draw(ontologies(most))
    draft = Draft("worded")
    concepts = range(len(bare))
    some = st.sets(st.integers(0, len(bare) - 1), max_size=2)
    has_parts = draw(st.booleans())
    for c in concepts:
        draft.concept(bare.ids[c], bare.labels[c])
        for term in draw(st.sets(st.sampled_from("stuvw"), min_size=int(c == 0), max_size=2)):
            draft.term(bare.ids[c], term)
        draft.gloss(bare.ids[c], " ".join(draw(st.lists(st.sampled_from(["aa", "bb", "cc"]), max_size=3))))
    for c in concepts:
        for parent in bare.parents[c]:
            draft.is_a(bare.ids[c], bare.ids[parent])
        for part in draw(some) if has_parts else ():
            draft.relation("has-part", bare.ids[c], bare.ids[part])
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

    # ------------------------------------------------------------------ words

    def around(self, c: int) -> set[int]:
        """Direct superconcepts and subconcepts."""
        return self.parents[c] | {x for x in range(len(self.o)) if c in self.parents[x]}

    def parts(self, c: int) -> set[int]:
        return set(self.o.relations["has-part"][c].tolist()) if self.o.relations else set()

    def terms(self, *concepts: int) -> set[str]:
        senses = zip(self.o.terms, self.o.senses, strict=True)
        return {term for term, meant in senses if set(concepts) & set(meant.tolist())}

    def words(self, c: int) -> Counter[str]:
        return Counter(self.o.gloss(c).split())

    def gamma(self, a: int, b: int) -> float:
        if self.shortest[a] + self.shortest[b] == 0:
            return 0.5
        share = self.shortest[a] / (self.shortest[a] + self.shortest[b])
        return share if self.shortest[a] <= self.shortest[b] else 1 - share

    def tversky_ratio(self, a: int, b: int, of_a: set, of_b: set) -> float:  # type: ignore[type-arg]
        g = self.gamma(a, b)
        whole = len(of_a & of_b) + g * len(of_a - of_b) + (1 - g) * len(of_b - of_a)
        return len(of_a & of_b) / whole if whole else 1.0

    def tversky(self, a: int, b: int) -> float:
        return self.tversky_ratio(a, b, self.terms(a, *self.around(a)), self.terms(b, *self.around(b)))

    def rodriguez(self, a: int, b: int, synsets: float, features: float, neighbourhoods: float) -> float:
        told = synsets * self.tversky_ratio(a, b, self.terms(a), self.terms(b))
        told += neighbourhoods * self.tversky_ratio(a, b, self.around(a), self.around(b))
        if self.parts(a) or self.parts(b):
            return told + features * self.tversky_ratio(a, b, self.parts(a), self.parts(b))
        return told / (synsets + neighbourhoods)

    def petrakis(self, a: int, b: int) -> float:
        def jaccard(of_a: set[str], of_b: set[str]) -> float:
            return len(of_a & of_b) / len(of_a | of_b) if of_a | of_b else 0.0

        def part_of(c: int) -> set[int]:
            return self.parts(c) | {x for x in range(len(self.o)) if c in self.parts(x)}

        if self.terms(a) & self.terms(b):
            return 1.0
        return max(
            jaccard(self.terms(*self.around(a)), self.terms(*self.around(b))),
            jaccard(self.terms(*part_of(a)), self.terms(*part_of(b))),
            jaccard(set(self.words(a)), set(self.words(b))),
        )

    def vector(self, a: int, b: int) -> float:
        n = len(self.o)

        def weighted(c: int) -> dict[str, float]:
            counts = sum((self.words(x) for x in (c, *self.around(c))), Counter[str]())
            return {
                w: tf * math.log(n / sum(w in self.words(x) for x in range(n))) for w, tf in counts.items()
            }

        v, u = weighted(a), weighted(b)
        length = math.hypot(*v.values()) * math.hypot(*u.values())
        return sum(v[w] * u[w] for w in v.keys() & u.keys()) / length if length else 0.0
