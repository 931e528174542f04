"""What the study of candidate hierarchies works on: columns of words with an ideal and perturbed hierarchies.

The columns are those of Ayala-Rivera et al. (2017) that are at hand: four of Insurance, and the occupations
of Adult.
"""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path

import numpy as np

import ontomask as om
from common import GOLDEN, data
from ontomask.arrays import Float64, Int32, Int64
from ontomask.attributes import Attribute, Generalized, Tuples
from ontomask.columns import Column
from ontomask.evaluation import Pairs, ReleaseView
from ontomask.hierarchies import Hierarchy
from ontomask.hierarchies.build import hierarchy_of
from ontomask.hierarchies.gsl import Gsl
from ontomask.hierarchies.perturb import many_perturbed
from ontomask.measures import Measure
from ontomask.measures.edge import LeacockChodorow, WuPalmer
from ontomask.methods import Method
from ontomask.ontology import Ontology
from ontomask.pipeline import Prepared, prepare
from ontomask.privacy import KAnonymity

INSURANCE = ("occupation", "workplace", "hobby", "place_of_hobby")
WUP, LCH = WuPalmer("ws4j"), LeacockChodorow("ws4j")
CANDIDATES, SEED = 100, 7


@dataclass(frozen=True)
class Kind:
    """How candidates are made, of what the text leaves open.

    Attributes
    ----------
    is_padded_at_root
        Where a branch is shorter than others, the root is repeated, so that every step leads from a value to
        what is right above it; else the value is, as everywhere in this software.
    replace_root
        Whether the label of the root is replaced as those of other ancestors are.
    """

    is_padded_at_root: bool
    replace_root: bool

    @property
    def name(self) -> str:
        """In words."""
        padded = "root" if self.is_padded_at_root else "values"
        return f"padded at the {padded}, roots {'replaced' if self.replace_root else 'kept'}"


KINDS = [Kind(padded, replaced) for padded in (False, True) for replaced in (False, True)]


@dataclass(frozen=True, eq=False)
class Candidate:
    """A hierarchy over a column, with the concept of every node."""

    tree: Hierarchy
    ontology: Ontology
    concepts: Int32

    @classmethod
    def of(cls, tree: Hierarchy, ontology: Ontology) -> Candidate:
        """Whose labels all say what they stand for."""
        return cls(tree, ontology, ontology.concepts(tree.concepts[label] for label in tree.labels))

    def gsl(self, measure: Measure) -> Gsl:
        """How much meaning it loses by its labels."""
        return _gsl(self, measure)

    def over(self, attribute: Attribute) -> Generalized:
        """The attribute with this hierarchy; the rows of one are the codes of the other."""
        n_values = self.tree.n_values
        nodes = np.unique(self.tree.levels[self.tree.levels >= n_values])
        number = -1 - np.arange(len(self.tree.labels), dtype=np.int32)
        number[nodes] = np.arange(len(nodes))
        return Generalized.over(attribute, number[self.tree.levels], self.concepts[nodes])


@cache
def _gsl(candidate: Candidate, measure: Measure) -> Gsl:
    """Made once, since it keeps what it computed."""
    return Gsl(candidate.tree, candidate.ontology, candidate.concepts, measure)


@dataclass(frozen=True, eq=False)
class Studied:
    """A column: its values are the codes of the attribute, `counts` says how many records have each."""

    name: str
    attribute: Attribute
    counts: Int64
    ideal: Candidate
    candidates: tuple[Candidate, ...]
    """The ideal hierarchy and perturbed ones, from the least GSL (wup) to the greatest."""

    @property
    def tuples(self) -> Tuples:
        """The column as a table."""
        return Tuples(np.arange(len(self.counts), dtype=np.int32)[:, None], self.counts)

    def sampled(self, n: int, rng: np.random.Generator) -> Int64:
        """How many of n records drawn without replacement have each value."""
        return rng.multivariate_hypergeometric(self.counts, n)


def insurance_plan(folder: Path) -> om.Plan:
    """The four columns of words, in the senses that the golden file names; mappings go to a folder."""
    with (GOLDEN / "insurance_senses.csv").open(newline="") as file:
        senses = list(csv.DictReader(file))
    for name in INSURANCE:
        rows = [f"{row['value']},{row['sense']}\n" for row in senses if row["column"] == name]
        (folder / f"{name}.csv").write_text("value,concept\n" + "".join(rows))
    return om.Plan.from_options(
        [f"{name}:wordnet" for name in INSURANCE],
        mapping=[f"{name}:{folder / name}.csv" for name in INSURANCE],
        others="keep",
    )


def insurance() -> Prepared:
    """Insurance, its words linked."""
    path = data("insurance/insurance10K_Occup_Uniform_RiskClass.csv")
    with tempfile.TemporaryDirectory() as folder:
        return prepare(path, insurance_plan(Path(folder)))


def studied_columns(
    prepared: Prepared, name: str, columns: Sequence[str], kind: Kind, seed: int = SEED
) -> list[Studied]:
    """The columns with their candidates."""
    found = []
    for j, column in enumerate(prepared.columns):
        if column.name in columns:
            codes, counts = prepared.tuples.codes[:, j], prepared.tuples.counts
            per_value = np.bincount(codes, counts, minlength=column.attribute.size).astype(np.int64)
            found.append(studied(f"{name} {column.name}", column, per_value, kind, seed))
    return found


def studied(name: str, column: Column, counts: Int64, kind: Kind, seed: int) -> Studied:
    """A column with its ideal hierarchy and perturbed copies of it."""
    wordnet = column.ontology
    assert wordnet is not None
    concepts = column.concepts(column.attribute)[column.attribute.own]
    values = {str(label): int(concept) for label, concept in zip(column.labels, concepts, strict=True)}
    ideal = hierarchy_of(wordnet, values, name=name, measure=WUP)
    if kind.is_padded_at_root:
        ideal = padded_at_root(ideal)
    trees = many_perturbed(ideal, wordnet, CANDIDATES, seed, WUP, replace_root=kind.replace_root)
    ranked = sorted((Candidate.of(tree, wordnet) for tree in trees), key=lambda c: c.gsl(WUP).score)
    first = next(c for c in ranked if c.tree is ideal)
    return Studied(name, column.attribute, counts, first, tuple(ranked))


def padded_at_root(tree: Hierarchy) -> Hierarchy:
    """The same tree with its root repeated above shorter branches, instead of their values below them."""
    rows = [[label for label, _ in groupby(row)] for row in tree.rows()]
    width = max(map(len, rows))
    return tree.with_rows([row + row[-1:] * (width - len(row)) for row in rows])


# ---------------------------------------------------------------------- a single column


def levels_at(tree: Hierarchy, counts: Int64, ks: Sequence[int]) -> Int64:
    """The lowest level at which every node has k records, for each k: what full-domain methods choose.

    With a single column there is one choice of levels for each height, so Incognito and Datafly agree.
    """
    per_node = [np.bincount(level, counts, minlength=len(tree.labels)) for level in tree.levels]
    smallest = np.array([found[found > 0].min() for found in per_node])
    return np.argmax(smallest >= np.array(ks)[:, None], axis=1)


def level_losses(candidate: Candidate, counts: Int64, measure: Measure, power: int) -> Float64:
    """Sum over records of distance^power to their nodes, for each level from 0."""
    lost = candidate.gsl(measure).transitions ** power @ counts
    return np.concatenate([[0.0], lost])


def mean_sse(candidate: Candidate, counts: Int64, ks: Sequence[int]) -> float:
    """SSE by wup, mean over k (equation 12)."""
    return float(level_losses(candidate, counts, WUP, 2)[levels_at(candidate.tree, counts, ks)].mean())


def mean_semiloss(candidate: Candidate, counts: Int64, ks: Sequence[int]) -> float:
    """SemILoss by lch, mean over k (equation 11)."""
    lost = level_losses(candidate, counts, LCH, 1) / counts.sum()
    return float(lost[levels_at(candidate.tree, counts, ks)].mean())


# ---------------------------------------------------------------------- by the methods


def masked(
    tuples: Tuples, attributes: Sequence[Attribute], method: Method, k: int, measure: Measure
) -> ReleaseView:
    """A table masked by a method, which sees distances by a measure."""
    seen = [attribute.under(measure) for attribute in attributes]
    masking = method.mask(tuples, seen, [KAnonymity(k)], np.random.default_rng(SEED))
    return ReleaseView(tuples, masking.attributes, Pairs.of(tuples, masking))
