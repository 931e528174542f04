"""Slow, plain twins of the masking methods: sets, dictionaries and whole numbers, one loop per sentence.

Distances are integers here (multiples of 2^-30), so that sums are exact whatever their order; Euclidean ones
are floats, summed attribute by attribute. A masked value is a concept (nominal) or a number (numeric), of a
truthful column the range from one number to another; None stands for a missing one. Nothing of the compiled
code is used: only the facts of an attribute (its concepts or numbers, its measure, weight and unit).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

import numpy as np

from ontomask.attributes import Attribute, Nominal, Numeric, Tuples
from ontomask.methods import Masking
from reference import Plain

Masked = int | float | tuple[float, float] | None
Counts = Mapping[int, int]  # how many records of which tuple, or of which code
Group = tuple[dict[int, int], tuple[Masked, ...]]

GRID = 2**30


def on_grid(x: float | Fraction) -> int:
    return round(x * GRID)


class Words:
    """A nominal attribute."""

    def __init__(self, attribute: Nominal, strategy: str = "semantic", power: int = 2) -> None:
        self.weight, self.power = attribute.weight, power
        self.maximum = attribute.maximum
        self.concepts = [None if c < 0 else int(c) for c in attribute.concepts]
        self.ids = attribute.ontology.ids
        self.plain = Plain(attribute.ontology)
        everything = np.arange(len(attribute.ontology))
        self.table = attribute.measure.matrix(attribute.ontology, everything, everything)
        self.strategy = strategy

    def value(self, code: int) -> Masked:
        return self.concepts[code]

    def distance(self, reference: Masked, compared: Masked) -> float:
        if reference is None or compared is None:
            return 0.0 if reference is compared else self.maximum
        return float(self.table[int(reference), int(compared)])

    def squared(self, reference: Masked, compared: Masked) -> float:
        return on_grid(self.weight * self.distance(reference, compared) ** self.power) / GRID

    def centroid(self, codes: Counts) -> Masked:
        return getattr(self, self.strategy)(codes)  # type: ignore[no-any-return]

    def semantic(self, codes: Counts) -> Masked:
        values = {self.concepts[code]: times for code, times in codes.items()}
        known = [v for v in values if v is not None]
        candidates: set[int | None] = set(self.plain.hierarchy(*known)) if known else set()
        if None in values:
            candidates.add(None)

        def rank(c: int | None) -> tuple[int, bool, int, str]:
            score = sum(times * on_grid(self.distance(c, v)) for v, times in values.items())
            if c is None:
                return score, False, 1, ""
            return score, c not in values, -self.plain.longest[c], self.ids[c]

        return min(candidates, key=rank)

    def marginality(self, codes: Counts) -> Masked:
        def rank(code: int) -> tuple[int, int]:
            here = self.concepts[code]
            away = (n * on_grid(self.distance(here, self.concepts[c])) for c, n in codes.items())
            return sum(away), code

        return self.concepts[min(codes, key=rank)]

    def mode(self, codes: Counts) -> Masked:
        return self.concepts[min(codes, key=lambda code: (-codes[code], code))]

    def lcs(self, codes: Counts) -> Masked:
        known = [v for code in codes if (v := self.concepts[code]) is not None]
        return self.plain.lcs(*known) if known else None

    def middle(self, codes: Counts) -> Masked:
        return self.centroid(codes)


class CoveringWords(Words):
    """A truthful nominal attribute: distances are NCP, a group gets its least common subsumer."""

    def __init__(self, attribute: Nominal) -> None:
        super().__init__(attribute)
        self.domain = {c for c in self.concepts if c is not None}

    def distance(self, reference: Masked, compared: Masked) -> float:
        if reference == compared:
            return 0.0
        if reference is None or compared is None:
            return 1.0
        above = self.plain.lcs(reference, compared)
        if above == 0 and None in self.concepts:
            return 1.0
        below = sum(above in self.plain.up[c] for c in self.domain)
        return below / len(self.domain) if below > 1 else 0.0

    def squared(self, reference: Masked, compared: Masked) -> float:
        return on_grid(self.weight * self.distance(reference, compared)) / GRID

    def centroid(self, codes: Counts) -> Masked:
        known = [c for code in codes if (c := self.concepts[code]) is not None]
        return 0 if known and len(known) < len(codes) else self.lcs(codes)

    def middle(self, codes: Counts) -> Masked:
        return self.mode(codes)


class Numbers:
    """A numeric attribute."""

    def __init__(self, attribute: Numeric) -> None:
        self.weight = attribute.weight
        known = [x for x in attribute.numbers if not np.isnan(x)]
        self.maximum = max(1.0, (max(known) - min(known)) / attribute.unit) if known else 1.0
        self.unit = attribute.unit
        self.numbers = [None if np.isnan(x) else float(x) for x in attribute.numbers]
        self.is_median = attribute.middle == "median"

    def value(self, code: int) -> Masked:
        return self.numbers[code]

    def distance(self, reference: Masked, compared: Masked) -> float:
        if reference is None or compared is None:
            return 0.0 if reference is compared else self.maximum
        return abs(reference - compared) / self.unit

    def squared(self, reference: Masked, compared: Masked) -> float:
        """Not on the grid: squares of small differences would be lost."""
        distance = self.distance(reference, compared)
        return self.weight * distance * distance

    def centroid(self, codes: Counts) -> Masked:
        known = sorted(x for code, n in codes.items() for x in [self.numbers[code]] * n if x is not None)
        missing = sum(n for code, n in codes.items() if self.numbers[code] is None)
        if missing > len(known):
            return None
        if self.is_median:
            return known[(len(known) - 1) // 2]
        return float(sum(map(Fraction, known)) / len(known))

    def middle(self, codes: Counts) -> Masked:
        return self.centroid(codes)


class CoveringNumbers(Numbers):
    """A truthful numeric attribute: distances are NCP, a group gets its range."""

    def __init__(self, attribute: Numeric) -> None:
        super().__init__(attribute)
        known = [x for x in self.numbers if x is not None]
        self.range = (max(known) - min(known) if known else 0.0) or 1.0

    def value(self, code: int) -> Masked:
        x = self.numbers[code]
        return None if x is None else (x, x)

    def distance(self, reference: Masked, compared: Masked) -> float:
        if reference is None or compared is None:
            return 0.0 if reference is compared else 1.0
        assert isinstance(reference, tuple)
        assert isinstance(compared, tuple)
        width = max(reference[1], compared[1]) - min(reference[0], compared[0])
        return min(width / self.range, 1.0)

    def squared(self, reference: Masked, compared: Masked) -> float:
        return on_grid(self.weight * self.distance(reference, compared)) / GRID

    def centroid(self, codes: Counts) -> Masked:
        known = [x for code in codes if (x := self.numbers[code]) is not None]
        if not known:
            return None
        return (min(known), max(known)) if len(known) == len(codes) else (-math.inf, math.inf)

    def middle(self, codes: Counts) -> Masked:
        x = super().centroid(codes)
        return None if x is None else (x, x)


def _plain_attribute(attribute: Attribute, strategy: str, power: int) -> Words | Numbers:
    if isinstance(attribute, Nominal):
        return CoveringWords(attribute) if attribute.is_truthful else Words(attribute, strategy, power)
    assert isinstance(attribute, Numeric)
    return CoveringNumbers(attribute) if attribute.is_truthful else Numbers(attribute)


class Records:
    """The tuples of a table under several attributes: compare, aggregate, sort."""

    def __init__(
        self,
        tuples: Tuples,
        attributes: Sequence[Attribute],
        *,
        combine: str = "mean",
        strategy: str = "semantic",
    ) -> None:
        self.codes = [tuple(map(int, row)) for row in tuples.codes]
        self.counts = {t: int(w) for t, w in enumerate(tuples.counts)}
        power = 1 if combine == "variances" else 2
        self.attributes = [_plain_attribute(a, strategy, power) for a in attributes]
        self.is_truthful = [a.is_truthful for a in attributes]
        self.is_euclidean = combine != "mean"

    def values(self, t: int) -> tuple[Masked, ...]:
        return tuple(a.value(code) for a, code in zip(self.attributes, self.codes[t], strict=True))

    def distance(self, reference: Sequence[Masked], t: int) -> float:
        """A sum over the attributes, squared where Euclidean."""
        pairs = zip(self.attributes, reference, self.values(t), strict=True)
        if not self.is_euclidean:
            return sum(on_grid(a.weight * a.distance(mine, its)) for a, mine, its in pairs)
        return sum(a.squared(mine, its) for a, mine, its in pairs)

    def wsd(self, reference: Sequence[Masked], t: int, times: int) -> float:
        total = self.distance(reference, t)
        return times * (math.sqrt(total) if self.is_euclidean else total)

    def centroid(self, group: Counts) -> tuple[Masked, ...]:
        """One univariate centroid or cover per attribute, of `group[t]` records of tuple t each."""
        return tuple(a.centroid(self.codes_of(group, j)) for j, a in enumerate(self.attributes))

    def middle(self, group: Counts) -> tuple[Masked, ...]:
        """A typical record: the centroid, but where an attribute is truthful, where a cover tells nothing."""
        return tuple(a.middle(self.codes_of(group, j)) for j, a in enumerate(self.attributes))

    def codes_of(self, group: Counts, j: int) -> Counts:
        codes: Counter[int] = Counter()
        for t, times in group.items():
            codes[self.codes[t][j]] += times
        return codes

    def covered(self, groups: Iterable[Group]) -> list[Group]:
        """Groups whose values in truthful columns are their covers."""
        return [
            (
                group,
                tuple(
                    cover if is_truthful else own
                    for own, cover, is_truthful in zip(
                        values, self.centroid(group), self.is_truthful, strict=True
                    )
                ),
            )
            for group, values in groups
        ]

    def farthest(self, reference: Sequence[Masked], among: Iterable[int], times: Counts) -> int:
        return min(among, key=lambda t: (-self.wsd(reference, t, times[t]), t))

    def closest(
        self, reference: Sequence[Masked], among: Iterable[int], times: Counts, beside: int = 0
    ) -> int:
        return min(among, key=lambda t: (self.wsd(reference, t, beside + times[t]), t))

    def sorted(self, sample: Counts, *, weighted: bool = False) -> list[int]:
        """Records of a sample as a list of tuples: the farthest from the centroid, then by distance to it."""
        times = sample if weighted else dict.fromkeys(sample, 1)
        first = self.farthest(self.middle(sample), sample, times)
        order = sorted(sample, key=lambda t: (t != first, self.wsd(self.values(first), t, times[t]), t))
        return [t for t in order for _ in range(sample[t])]

    def replaced(self, groups: Iterable[Counts]) -> list[Group]:
        return [(dict(group), self.centroid(group)) for group in groups]


def recoding(records: Records, k: int, *, weighted: bool = True, distributional: bool = False) -> list[Group]:
    """Spec 4.1. A tuple that has given way in this pass lives again where another one takes its values."""
    groups = {t: {t: w} for t, w in records.counts.items()}  # by the tuple whose values the records have
    while True:
        counts = {t: sum(group.values()) for t, group in groups.items()}
        if min(counts.values()) >= k:
            break
        smallest = [t for t in sorted(counts) if counts[t] == min(counts.values())]
        choice = {}
        for t in smallest:
            others = [v for v in counts if counts[v] > counts[t]] or [v for v in counts if v != t]
            if distributional:
                choice[t] = min(others, key=lambda v, t=t: (2 * counts[t] * counts[v], v))
            else:
                times = counts if weighted else dict.fromkeys(counts, 1)
                choice[t] = records.closest(records.values(t), others, times)
        received: set[int] = set()
        for t in smallest:
            if t not in received:
                groups.setdefault(choice[t], {}).update(groups.pop(t))
                received.add(choice[t])
    return records.covered((group, records.values(t)) for t, group in groups.items())


def mdav(records: Records, k: int) -> list[Group]:
    """Spec 4.2: records are single and weigh 1; s is kept out of the cluster of r."""
    left: Counter[int] = Counter(records.counts)
    ones = dict.fromkeys(left, 1)
    groups = []

    def take(t: int) -> None:
        left.subtract([t])
        if left[t] == 0:
            del left[t]

    def cluster(seed: int) -> None:
        """The seed, a record already taken, and its k - 1 nearest."""
        group = Counter([seed])
        while group.total() < k:
            t = records.closest(records.values(seed), left, ones)
            take(t)
            group[t] += 1
        groups.append(group)

    while left.total() >= 3 * k:
        r = records.farthest(records.middle(left), left, ones)
        take(r)
        s = records.farthest(records.values(r), left, ones)
        take(s)
        cluster(r)
        cluster(s)
    if left.total() >= 2 * k:
        r = records.farthest(records.middle(left), left, ones)
        take(r)
        cluster(r)
    groups.append(left)
    return records.replaced(groups)


def sa_mdav(records: Records, k: int, *, weighted: bool = True, static: bool = False) -> list[Group]:
    """Spec 4.3; with truthful columns a distance counts for all records that it is the loss of."""
    left = dict(records.counts)
    times = records.counts if weighted or any(records.is_truthful) else dict.fromkeys(left, 1)
    groups: list[dict[int, int]] = []

    def grow(seed: int) -> None:
        group = {seed: left.pop(seed)}
        while sum(group.values()) < k:
            heart = records.values(seed) if static else records.centroid(group)
            beside = sum(group.values()) if any(records.is_truthful) else 0
            t = records.closest(heart, left, times, beside)
            group[t] = left.pop(t)
        groups.append(group)

    while sum(left.values()) >= k:
        r = records.farthest(records.middle(left), left, times)
        grow(r)
        if sum(left.values()) >= k:
            grow(records.farthest(records.values(r), left, times))
    centroids = [records.centroid(group) for group in groups]
    for t in sorted(left):
        nearest = min(range(len(groups)), key=lambda g, t=t: (records.distance(centroids[g], t), g))
        groups[nearest][t] = left[t]
    return records.replaced(groups)


def k_ward(records: Records, k: int) -> list[Group]:
    """Domingo-Ferrer & Mateo-Sanz 2002, with whole tuples; floats, in the order of the formula."""
    counts = records.counts

    def apart(a: int, b: int) -> float:
        total = records.distance(records.values(a), b)
        return math.sqrt(total) if records.is_euclidean else total / GRID

    def size(cluster: Iterable[int]) -> int:
        return sum(counts[t] for t in cluster)

    def split(tuples: list[int]) -> list[list[int]]:
        pairs = [(a, b) for a in tuples for b in tuples if a < b]
        if size(tuples) < 2 * k or not pairs:
            return [tuples]
        ends = min(pairs, key=lambda pair: (-apart(*pair), pair))
        left = [t for t in tuples if t not in ends]
        groups = []
        for start in ends:
            group = [start]
            while size(group) < k:
                if not left:
                    return [tuples]
                group.append(min(left, key=lambda t, start=start: (apart(start, t), t)))
                left.remove(group[-1])
            groups.append(group)

        # A cluster goes by the tuple it started from, or the first of those it was joined from.
        clusters = {t: [t] for t in tuples}
        squares = {}
        for a, b in pairs:
            between = 2 * counts[a] * counts[b] / (counts[a] + counts[b])
            squares[a, b] = squares[b, a] = apart(a, b) * (apart(a, b) * between)

        def merge(i: int, j: int) -> None:
            """Cluster i becomes part of j."""
            n_i, n_j = size(clusters[i]), size(clusters[j])
            for c in clusters.keys() - {i, j}:
                n_c = size(clusters[c])
                joined = (n_i + n_c) * squares[i, c] + (n_j + n_c) * squares[j, c]
                squares[c, j] = squares[j, c] = (joined - n_c * squares[i, j]) / (n_i + n_j + n_c)
            clusters[j] += clusters.pop(i)

        for group in groups:
            for t in group[1:]:
                merge(t, group[0])
        while any(size(cluster) < k for cluster in clusters.values()):
            allowed = [
                (a, b)
                for a in clusters
                for b in clusters
                if a < b and (size(clusters[a]) < k or size(clusters[b]) < k)
            ]
            a, b = min(allowed, key=lambda pair: (squares[pair], pair))
            merge(b, a)
        found = list(clusters.values())
        return [part for cluster in found for part in split(sorted(cluster))]

    return records.replaced({t: counts[t] for t in group} for group in split(sorted(counts)))


def resampling(records: Records, k: int, rng: np.random.Generator, *, weighted: bool = False) -> list[Group]:
    """Spec 4.4: every record left over joins by the centroids of the sets as dealt."""
    p = len(records.counts)
    drawn = rng.permutation(np.repeat(np.arange(p), list(records.counts.values()))).tolist()
    size = len(drawn) // k
    samples = [Counter(drawn[i * size : (i + 1) * size]) for i in range(k)]
    rows = [records.sorted(sample, weighted=weighted) for sample in samples]
    groups = [Counter(places) for places in zip(*rows, strict=True)]
    centroids = [records.centroid(group) for group in groups]
    for t in drawn[k * size :]:
        nearest = min(range(size), key=lambda g, t=t: (records.distance(centroids[g], t), g))
        groups[nearest][t] += 1
    return records.replaced(groups)


def suppression(records: Records, k: int) -> list[Group]:
    """Spec 4.6: what is left."""
    return [({t: w}, records.values(t)) for t, w in records.counts.items() if w >= k]


def as_plain(masking: Masking) -> list[Group]:
    """The groups of a masking in the words of this module; what is suppressed is in none."""
    groups: list[Group] = []
    for g in range(masking.n_groups):
        mine = masking.groups == g
        members = dict(zip(masking.cells[mine].tolist(), masking.counts[mine].tolist(), strict=True))
        values = [_plain_value(a, masking.values[g, j]) for j, a in enumerate(masking.attributes)]
        groups.append((members, tuple(values)))
    return groups


def _plain_value(attribute: Attribute, replacement: int) -> Masked:
    if isinstance(attribute, Nominal):
        concept = int(attribute.replacements[replacement])
        return None if concept < 0 else concept
    assert isinstance(attribute, Numeric)
    n_ranges = len(attribute.ranges)
    if replacement < n_ranges:
        low, high = attribute.ranges[replacement]
        return float(low), float(high)
    number = float(attribute.replacements[replacement])
    if attribute.is_truthful and not math.isnan(number):
        return number, number
    return None if math.isnan(number) else number


def in_order(groups: Iterable[Group]) -> list[tuple[list[tuple[int, int]], tuple[Masked, ...]]]:
    """Groups as a multiset: comparable, and readable where two differ."""
    return sorted(
        ((sorted(members.items()), values) for members, values in groups),
        key=lambda group: (group[0], [(v is None, v or 0) for v in group[1]]),
    )
