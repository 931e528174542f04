"""What a person should look at in a judged hierarchy: as data, then in words.

Ayala-Rivera et al. (2017), section 3.4, read such things off a table of transitions; here they are listed. It
knows a GSL and the links behind it, but neither tables nor how they are printed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ontomask.arrays import Float64
from ontomask.hierarchies.gsl import Gsl
from ontomask.linking import Links
from ontomask.measures.edge import WuPalmer
from ontomask.printable import some_of

WORST = 10
_NAMED = 5
# The scores that the paper prints of the best, the middle and the worst set of hierarchies of two data sets
# (section 6.2, wup). It names no bands, and leaves them to later work; these lie half way between.
_BEST, _MIDDLE, _WORST = (0.0491, 0.1810), (0.2027, 0.3583), (0.4397, 0.6856)
BANDS = (
    (_BEST[0], "very good", "nearer in meaning than the best hierarchies of the published study"),
    ((_BEST[1] + _MIDDLE[0]) / 2, "good", "like the best hierarchies of the published study"),
    ((_MIDDLE[1] + _WORST[0]) / 2, "middling", "like the middle hierarchies of the published study"),
    (_WORST[1], "poor", "like the worst hierarchies of the published study"),
    (float("inf"), "very poor", "worse than the worst hierarchies of the published study"),
)


@dataclass(frozen=True)
class Transition:
    """What a value loses when a label takes its place."""

    value: str
    label: str
    level: int
    loss: float


@dataclass(frozen=True)
class Fall:
    """Two labels, the upper of which loses less than the lower: one of them stands at the wrong level."""

    lower: str
    upper: str
    falls: tuple[tuple[Transition, Transition], ...]
    """For each value: what it loses at the lower and at the upper label."""


@dataclass(frozen=True)
class NotIsA:
    """A label whose concept is not above those of labels below it."""

    label: str
    concept: str
    below: tuple[tuple[str, str], ...]
    """Labels and their concepts."""


@dataclass(frozen=True)
class Unknown:
    """A label without a concept."""

    label: str
    is_value: bool
    counts_as: str | None
    """The concept that stands in for it: what the values below have in common."""
    perhaps: tuple[str, ...]


@dataclass(frozen=True)
class Doubt:
    """A label whose concept is doubtful."""

    label: str
    concept: str
    gloss: str
    score: float
    others: tuple[str, ...]


@dataclass(frozen=True)
class Findings:
    """Everything that is worth a look, most telling first."""

    worst: tuple[Transition, ...]
    falls: tuple[Fall, ...]
    not_is_a: tuple[NotIsA, ...]
    unknown: tuple[Unknown, ...]
    doubts: tuple[Doubt, ...]


def findings_of(
    gsl: Gsl, links: Links | None = None, worst: int = WORST, only_unusual: bool = False
) -> Findings:
    """What is worth a look; `links` are those of `linked_nodes`, without which nothing is said of them.

    `only_unusual`: nothing is said of what is lost at the root, where most is lost in any tree, and at labels
    that lose no more than the tree does on the average.
    """
    return Findings(
        tuple(worst_transitions(gsl, worst, only_unusual)),
        tuple(sorted(falls(gsl), key=lambda fall: -sum(low.loss - up.loss for low, up in fall.falls))),
        tuple(_not_is_a(gsl)),
        tuple(_unknown(gsl, links)) if links is not None else (),
        tuple(_doubts(links)) if links is not None else (),
    )


def score_in_words(gsl: Gsl) -> str:
    """How good a score is, where the paper has scores to compare it with; else an empty text.

    The paper's scores are means by wup as WS4J counts, all levels alike, so others are not compared with
    them.

    >>> from ontomask import load_ontology
    >>> from ontomask.hierarchies import Hierarchy
    >>> from ontomask.hierarchies.gsl import linked_nodes
    >>> wordnet = load_ontology("wordnet")
    >>> jobs = Hierarchy.from_rows("jobs", [["surgeon", "doctor", "person"], ["nun", "nun", "person"]])
    >>> print(score_in_words(Gsl(jobs, wordnet, linked_nodes(jobs, wordnet).concepts)))
    good: like the best hierarchies of the published study
    """
    is_as_printed = gsl.measure == WuPalmer("ws4j") and (gsl.aggregate, gsl.weighting) == ("mean", "uniform")
    if not is_as_printed:
        return ""
    return next(f"{name}: {meaning}" for upto, name, meaning in BANDS if gsl.score <= upto)


def measured_in_words(gsl: Gsl) -> str:
    """By what a score was measured: the measure, its convention, and what is not as usual."""
    convention = getattr(gsl.measure, "convention", "")
    parts = [
        gsl.measure.name + (f" ({convention})" if convention else ""),
        "the worst value of each level" if gsl.aggregate == "max" else "",
        "lower levels weighing more" if gsl.weighting == "level" else "",
    ]
    return ", ".join(filter(None, parts))


def told_in_a_line(gsl: Gsl) -> str:
    """The score, how good it is, and by what it was measured."""
    words = score_in_words(gsl)
    said = f" ({words})" if words else ""
    return f"GSL {gsl.score:.4f}{said}, by {measured_in_words(gsl)}; lower is better"


def in_words(findings: Findings) -> Iterator[tuple[str, list[str]]]:
    """Headings and the lines below them; nothing is said of what was not found."""
    sections = (
        ("Labels that lose most", _worst_in_words(findings.worst)),
        (
            "Loss falls as one climbs: a label stands at the wrong level, or does not fit its values",
            map(_fall_in_words, findings.falls),
        ),
        ("Not a kind of the label above it", map(_not_is_a_in_words, findings.not_is_a)),
        ("Values that are left out, for they have no concept", _values_in_words(findings.unknown)),
        ("Labels without a concept", _labels_in_words(findings.unknown)),
        ("Senses that are doubtful", map(_doubt_in_words, findings.doubts)),
    )
    for heading, lines in sections:
        if told := list(lines):
            yield heading, told


# ---------------------------------------------------------------------- data


def worst_transitions(gsl: Gsl, most: int, only_unusual: bool = False) -> Iterator[Transition]:
    """Those that lose most; a value and a label are told once, at the lowest level."""
    lost = np.where(np.isnan(gsl.transitions), -1.0, gsl.transitions)
    if only_unusual:
        lost[(gsl.hierarchy.levels[1:] == gsl.hierarchy.root) | (lost <= gsl.score)] = -1.0
    told = set[tuple[int, int]]()
    for place in _largest(lost.ravel(), most * len(lost)):  # a label may stand above a value at every level
        i, v = divmod(place, gsl.hierarchy.n_values)
        node = int(gsl.hierarchy.levels[i + 1, v])
        if lost[i, v] <= 0 or len(told) == most:
            return
        if (v, node) not in told:
            told.add((v, node))
            yield _transition(gsl, v, i)


def _largest(numbers: Float64, n: int) -> list[int]:
    """Where the n largest stand and those like the last of them, the largest first, of equal ones the first.

    >>> _largest(np.array([0.2, 0.5, 0.1, 0.5, 0.2]), 3)
    [1, 3, 0, 4]
    """
    least = np.sort(numbers)[-n] if 0 < n < len(numbers) else -np.inf
    places = np.flatnonzero(numbers >= least)
    found: list[int] = places[np.argsort(-numbers[places], kind="stable")].tolist()
    return found


def _transition(gsl: Gsl, v: int, i: int) -> Transition:
    labels, levels = gsl.hierarchy.labels, gsl.hierarchy.levels
    return Transition(labels[v], labels[levels[i + 1, v]], i + 1, float(gsl.transitions[i, v]))


def falls(gsl: Gsl) -> Iterator[Fall]:
    """Where the loss of some values falls from a label to the one above it."""
    found: dict[tuple[int, int], list[tuple[Transition, Transition]]] = {}
    for i, (lower, upper) in enumerate(pairwise(gsl.transitions)):
        for v in np.flatnonzero(upper < lower).tolist():
            pair = int(gsl.hierarchy.levels[i + 1, v]), int(gsl.hierarchy.levels[i + 2, v])
            found.setdefault(pair, []).append((_transition(gsl, v, i), _transition(gsl, v, i + 1)))
    labels = gsl.hierarchy.labels
    for (low, up), falls in found.items():
        yield Fall(labels[low], labels[up], tuple(falls))


def _not_is_a(gsl: Gsl) -> Iterator[NotIsA]:
    """By the label above, from the lowest; labels without a concept of their own are skipped over."""
    nodes = np.flatnonzero(gsl.concepts >= 0)
    tops = gsl.hierarchy.parents[nodes]
    while (is_skipped := (tops >= 0) & (gsl.concepts[tops] < 0)).any():
        tops[is_skipped] = gsl.hierarchy.parents[tops[is_skipped]]
    nodes, tops = nodes[tops >= 0], tops[tops >= 0]
    below, above = gsl.concepts[nodes], gsl.concepts[tops]
    is_wrong = gsl.ontology.lcs(below, above) != above
    found: dict[int, list[int]] = {}
    for node, top in zip(nodes[is_wrong].tolist(), tops[is_wrong].tolist(), strict=True):
        found.setdefault(top, []).append(node)
    for top, wrong in sorted(found.items()):
        named = tuple((gsl.hierarchy.labels[node], _key(gsl, node)) for node in wrong)
        yield NotIsA(gsl.hierarchy.labels[top], _key(gsl, top), named)


def _key(gsl: Gsl, node: int) -> str:
    return gsl.ontology.key(int(gsl.meanings[node]))


def _unknown(gsl: Gsl, links: Links) -> Iterator[Unknown]:
    for node in np.flatnonzero(gsl.concepts < 0).tolist():
        label = gsl.hierarchy.labels[node]
        counts_as = _key(gsl, node) if gsl.meanings[node] >= 0 else None
        perhaps = tuple(gsl.ontology.key(c) for c in links[label].alternatives)
        yield Unknown(label, node < gsl.hierarchy.n_values, counts_as, perhaps)


def _doubts(links: Links) -> Iterator[Doubt]:
    ontology = links.ontology
    for one in links.doubtful:
        if one.concept is not None:
            others = tuple(ontology.key(c) for c in one.alternatives)
            yield Doubt(one.value, ontology.key(one.concept), ontology.gloss(one.concept), one.score, others)


# ---------------------------------------------------------------------- words


def _worst_in_words(worst: tuple[Transition, ...]) -> Iterator[str]:
    by_label: dict[tuple[str, int], list[str]] = {}
    for one in worst:
        by_label.setdefault((one.label, one.level), []).append(f"{one.value} {one.loss:.4f}")
    for (label, level), values in by_label.items():
        yield f"{label} (level {level}): {some_of(values, _NAMED)}"


def _fall_in_words(fall: Fall) -> str:
    values = some_of([f"{low.value} {low.loss:.4f} -> {up.loss:.4f}" for low, up in fall.falls], _NAMED)
    return f"{fall.lower} below {fall.upper}: {values}"


def _not_is_a_in_words(wrong: NotIsA) -> str:
    below = some_of([f"{label} ({concept})" for label, concept in wrong.below], _NAMED)
    return f"{below} below {wrong.label} ({wrong.concept})"


def _values_in_words(unknown: tuple[Unknown, ...]) -> Iterator[str]:
    for one in unknown:
        if one.is_value:
            yield one.label + (f": perhaps {', '.join(one.perhaps)}?" if one.perhaps else "")


def _labels_in_words(unknown: tuple[Unknown, ...]) -> Iterator[str]:
    for one in unknown:
        if not one.is_value:
            yield f"{one.label}: " + (
                f"counts as {one.counts_as}, what its values have in common"
                if one.counts_as
                else "says nothing"
            )


def _doubt_in_words(doubt: Doubt) -> str:
    others = f"; or {some_of(list(doubt.others), _NAMED)}" if doubt.others else ""
    return f"{doubt.label}: taken for {doubt.concept} ({doubt.gloss[:60]}){others}"
