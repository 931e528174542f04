"""Small random tables whose attributes have levels, the same in dictionaries, and Adult with its trees."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

import ontomask as om
from ontomask.arrays import distinct_rows
from ontomask.attributes import Attribute, Generalized, Nominal, Numeric, Tuples
from ontomask.hierarchies.hierarchy import Hierarchy
from ontomask.methods import SUPPRESSED, Masking, Method
from ontomask.privacy import KAnonymity
from reference import ontologies

GRID = 2**30
Node = tuple[int, ...]


@dataclass(frozen=True)
class Case:
    """A small table, and how to mask it."""

    tuples: Tuples
    attributes: list[Attribute]
    k: int
    budget: int = 0

    def mask(self, method: Method, budget: int | None = None) -> Masking:
        budget = self.budget if budget is None else budget
        rng = np.random.default_rng(0)
        return method.mask(self.tuples, self.attributes, [KAnonymity(self.k)], rng, budget=budget)


def groups(masking: Masking) -> dict[tuple[int, ...], set[int]]:
    """The tuples of every group by what replaces them; () for those that are left out."""
    found: dict[tuple[int, ...], set[int]] = {}
    for cell, group in zip(masking.cells.tolist(), masking.groups.tolist(), strict=True):
        values = () if group == SUPPRESSED else tuple(masking.values[group].tolist())
        found.setdefault(values, set()).add(cell)
    return found


# ---------------------------------------------------------------------- random tables


@st.composite
def trees(draw: st.DrawFn, q: int, missing: int) -> tuple[np.ndarray, int]:
    """Levels over q codes with padding: at each level a group stays, joins another or becomes a node.

    A value that stays may be joined by others: then it stands above them. A missing one is below the root.
    """
    level, n_nodes = list(range(-1, -1 - q, -1)), 0
    rows = [level]
    for _ in range(draw(st.integers(0, 3))):
        became: dict[int, int] = {}
        staying = [one for one in dict.fromkeys(level) if one == -1 - missing or draw(st.booleans())]
        became.update((one, one) for one in staying)
        open_to_others = [one for one in staying if one != -1 - missing]
        for one in dict.fromkeys(level):
            if one in became:
                continue
            if open_to_others and draw(st.booleans()):
                became[one] = draw(st.sampled_from(open_to_others))
            else:
                became[one], n_nodes = n_nodes, n_nodes + 1
                open_to_others.append(became[one])
        level = [became[one] for one in level]
        rows.append(level)
    rows.append([n_nodes] * q)
    return np.array(rows, np.int32), n_nodes + 1


@st.composite
def leveled(draw: st.DrawFn) -> Generalized:
    """Words or numbers; a node may stand for something far from its values, so loss may fall higher up."""
    weight = draw(st.sampled_from([1.0, 1.0, 0.3, 2.0]))
    if draw(st.booleans()):
        numbers = sorted(draw(st.sets(st.integers(-12, 12), min_size=1, max_size=5)))
        values = [number / 4 for number in numbers]
        missing = draw(st.sampled_from([-1, 0, len(values)]))
        if missing >= 0:
            values.insert(missing, float("nan"))
        scale = draw(st.sampled_from(["range", "zscore"]))
        plain: Attribute = Numeric.of(
            "numbers", np.array(values), np.ones(len(values), np.int64), weight=weight, scale=scale
        )
        n_concepts = 0
    else:
        ontology = draw(ontologies())
        size = draw(st.integers(1, min(5, len(ontology))))
        concepts = draw(st.permutations(range(len(ontology))))[:size]
        missing = draw(st.sampled_from([-1, 0, size]))
        if missing >= 0:
            concepts.insert(missing, -1)
        by = om.measure(draw(st.sampled_from(["logsc", "path", "wup", "equality"])))
        plain = Nominal("words", weight, missing, ontology, by, np.array(concepts, np.int32))
        n_concepts = len(ontology)
    tree, n_nodes = draw(trees(plain.size, missing))
    meant = [draw(st.integers(-1, n_concepts - 1)) for _ in range(n_nodes)]
    return Generalized.over(plain, tree, np.array(meant, np.int32))


@st.composite
def cases(draw: st.DrawFn) -> Case:
    attributes: list[Attribute] = draw(st.lists(leveled(), min_size=1, max_size=3))
    every = list(product(*(range(attribute.size) for attribute in attributes)))
    rows = draw(st.sets(st.sampled_from(every), min_size=1, max_size=12))
    codes = np.array(sorted(rows), np.int32)
    counts = np.array([draw(st.integers(1, draw(st.sampled_from([1, 4])))) for _ in codes], np.int64)
    n = int(counts.sum())
    k = draw(st.integers(1, min(n, 6)))
    return Case(Tuples(codes, counts), attributes, k, draw(st.integers(0, max(n // 2, 1))))


# ---------------------------------------------------------------------- the same, plainly


class Plain:
    """A case in dictionaries and whole numbers; distances are multiples of 2^-30."""

    def __init__(self, case: Case, budget: int | None = None) -> None:
        self.k, self.budget = case.k, case.budget if budget is None else budget
        self.rows: list[list[int]] = case.tuples.codes.tolist()
        self.counts: list[int] = case.tuples.counts.tolist()
        self.attributes = case.attributes
        self.levels = [attribute.levels.tolist() for attribute in case.attributes]  # type: ignore[union-attr]
        self.tops = [len(levels) - 1 for levels in self.levels]
        self.nodes: list[Node] = list(product(*(range(top + 1) for top in self.tops)))

    def classes(self, node: Node) -> dict[tuple[int, ...], list[int]]:
        """The tuples that are equal at a node, by what they are there."""
        found: dict[tuple[int, ...], list[int]] = {}
        for t, row in enumerate(self.rows):
            values = tuple(self.levels[j][node[j]][code] for j, code in enumerate(row))
            found.setdefault(values, []).append(t)
        return found

    def size(self, members: Sequence[int]) -> int:
        return sum(self.counts[t] for t in members)

    def left_out(self, node: Node, blank: bool = False) -> set[int] | None:
        """The tuples that are left out, or None if too many would be."""
        classes = self.classes(node)
        gone = {values for values, members in classes.items() if self.size(members) < self.k}
        if blank and gone:
            empty = tuple(attribute.nothing for attribute in self.attributes)
            while sum(self.size(classes[one]) for one in gone | ({empty} & {*classes})) < self.k:
                others = [one for one in classes if one not in gone and one != empty]
                if not others:
                    break
                gone.add(min(others, key=lambda one: (self.size(classes[one]), classes[one])))
        left_out = {t for values in gone for t in classes[values]}
        allowed = self.size([*left_out]) <= self.budget and len(left_out) < len(self.rows)
        return left_out if allowed else None

    def is_anonymous(self, node: Node) -> bool:
        return self.left_out(node) is not None

    def minimal(self) -> list[Node]:
        """By definition: anonymous, and nothing below it is."""
        good = [node for node in self.nodes if self.is_anonymous(node)]
        return [a for a in good if not any(a != b and all(map(int.__ge__, a, b)) for b in good)]

    def cost(self, j: int, code: int, level: int) -> int:
        attribute = self.attributes[j]
        codes, to = np.array([code], np.int32), np.array([self.levels[j][level][code]], np.int32)
        return round(attribute.weight * float(attribute.distance(codes, to)[0]) * GRID)

    def loss(self, node: Node, left_out: set[int]) -> int:
        total = 0
        for t, row in enumerate(self.rows):
            for j, code in enumerate(row):
                most = round(self.attributes[j].weight * self.attributes[j].maximum * GRID)
                total += self.counts[t] * (most if t in left_out else self.cost(j, code, node[j]))
        return total

    def released(self, node: Node, left_out: set[int]) -> dict[tuple[int, ...], set[int]]:
        """As `groups` shows a masking."""
        kept = {values: {*of} for values, of in self.classes(node).items() if of[0] not in left_out}
        return kept | ({(): left_out} if left_out else {})


# ---------------------------------------------------------------------- what every release of a case promises


def check_promises(case: Case, masking: Masking) -> None:
    """Nobody is lost, no class is smaller than k, and what is written covers what was there."""
    placed = np.bincount(masking.cells, weights=masking.counts, minlength=len(case.tuples))
    assert placed.tolist() == case.tuples.counts.tolist()
    kept = masking.groups != SUPPRESSED
    sizes = np.bincount(masking.groups[kept], weights=masking.counts[kept], minlength=masking.n_groups)
    assert masking.n_groups > 0 and (sizes >= case.k).all()
    for j, attribute in enumerate(masking.attributes):
        codes = case.tuples.codes[masking.cells[kept], j]
        assert attribute.covers(masking.values[masking.groups[kept], j], attribute.own[codes]).all()


# ---------------------------------------------------------------------- Adult

NAMES_OF_ADULT = (
    "occupation", "education", "marital-status", "native-country", "race", "sex", "workclass", "age",
)  # fmt: skip


def adult(folder: Path) -> tuple[Tuples, list[Attribute]]:
    """The 30,162 people with eight columns, over the ready-made hierarchies."""
    with (folder / "adult.csv").open(encoding="utf-8") as lines:
        people = list(csv.DictReader(lines, delimiter=";"))
    columns, attributes = [], []
    for name in NAMES_OF_ADULT:
        with (folder / f"adult_hierarchy_{name}.csv").open(encoding="utf-8") as lines:
            hierarchy = Hierarchy.from_rows(name, list(csv.reader(lines, delimiter=";")))
        texts = [person[name] for person in people]
        labels = sorted({*texts}, key=float if name == "age" else str)
        code = {label: c for c, label in enumerate(labels)}
        columns.append(np.array([code[text] for text in texts], np.int32))
        attributes.append(_over(hierarchy, labels, np.bincount(columns[-1])))
    first, which = distinct_rows(columns)
    codes = np.ascontiguousarray(np.stack(columns, axis=1)[first])
    return Tuples(codes, np.bincount(which).astype(np.int64)), attributes


def _over(hierarchy: Hierarchy, labels: list[str], counts: np.ndarray) -> Attribute:
    paths = hierarchy.levels[:, [hierarchy.node(label) for label in labels]]
    nodes = np.setdiff1d(paths[1:], paths[0])
    number = {int(node): i for i, node in enumerate(nodes)}
    number |= {int(node): -1 - code for code, node in enumerate(paths[0])}
    tree = np.vectorize(number.__getitem__)(paths).astype(np.int32)
    nobody_said = np.full(len(nodes), -1, np.int32)
    if hierarchy.name == "age":
        numbers = Numeric.of("age", np.array([float(label) for label in labels]), counts)
        return Generalized.over(numbers, tree, nobody_said)
    ontology = hierarchy.as_ontology()
    words = Nominal(hierarchy.name, 1.0, -1, ontology, om.measure("logsc"), ontology.concepts(labels))
    return Generalized.over(words, tree, nobody_said)
