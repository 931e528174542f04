"""What the study of Loh 2012 masks and measures: two tables, their plans, and what releases leave of them.

UCI Cleveland is the published one; CHD_DB is not public, and a generator makes patients of its shape. Trees
are grown from the texts of a release: a range is a word of its own there, as in figure 6.4.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

import ontomask as om
from common import ROOT, data
from ontomask.evaluation import DecisionTree, Feature, TreeOptions
from ontomask.evaluation.decision_tree import accuracy, folds_of
from ontomask.hierarchies.intervals import Range, RangeSet, range_of, read_ranges
from ontomask.purpose import purpose_of

sys.path.append(str(ROOT / "benchmarks"))
from chd import chd

FILES = Path(__file__).parent / "data"
REPEATS = 10
"""How often the records of Cleveland are dealt into ten folds: once, accuracy is off by 1 to 2 percent."""
LS = (2, 4, 6)
CONSTRAINTS: Mapping[str, Mapping[str, Sequence[str]] | None] = {
    "none": None,
    "sign or symptom": {"types": ["sign or symptom"]},
    "diagnostic procedure": {"types": ["diagnostic procedure"]},
    "finding": {"types": ["finding"]},
    "clinical attribute": {"types": ["clinical attribute"]},
    "organism attribute": {"types": ["organism attribute"]},
    "result of": {"relations": ["result of"]},
    "diagnoses": {"relations": ["diagnoses"]},
    "associated with": {"relations": ["associated with"]},
}
AGES = read_ranges()
CHOLESTEROL = RangeSet([Range("normal", None, Fraction(240)), Range("high", Fraction(240), None)])
ROOTS = ("*", "any")

_WORDS = {  # table 6.2
    "sex": {"0": "female", "1": "male"},
    "chest_pain": {
        "1": "typical angina",
        "2": "atypical angina",
        "3": "non-anginal pain",
        "4": "asymptomatic",
    },
    "blood_sugar": {"0": "<120", "1": ">120"},
    "resting_ecg": {"0": "normal", "1": "abnormal", "2": "hypertrophy"},
    "angina": {"0": "no", "1": "yes"},
    "slope": {"1": "upsloping", "2": "flat", "3": "downsloping"},
    "thal": {"3": "normal", "6": "fixed defect", "7": "reversable defect"},
}


class Setting(NamedTuple):
    """What a release is asked for."""

    score: str
    constraint: str
    L: int
    K: int


class Outcome(NamedTuple):
    """What a release leaves: attributes with two values or more, those in the tree, and its accuracy."""

    told_apart: frozenset[str]
    in_tree: frozenset[str]
    accuracy: float


@dataclass(frozen=True, eq=False)
class Subject:
    """A table and its plan; `folds` are the records held out in turn, [records, folds], dealt out."""

    table: pa.Table
    plan: om.Plan
    ks: Sequence[int]
    folds: Sequence[np.ndarray]
    options: TreeOptions = field(default_factory=TreeOptions)

    @property
    def attributes(self) -> tuple[str, ...]:
        """What is masked."""
        return self.plan.with_role("quasi-identifier")

    @cached_property
    def y(self) -> np.ndarray:
        """The class of each record: 0 is no, 1 is yes."""
        (target,) = self.plan.method.own.needs
        return np.unique(self.table[target].to_pylist(), return_inverse=True)[1]

    @property
    def blind(self) -> float:
        """Percent right if everybody is given the most frequent class."""
        return 100 * float(np.bincount(self.y).max()) / len(self.y)

    def settings(self, score: str, constraint: str) -> Iterator[Setting]:
        """Every L with every K."""
        for known in LS:
            yield from (Setting(score, constraint, known, least) for least in self.ks)

    def asked(self, setting: Setting) -> om.Plan:
        """The plan of a setting."""
        method: dict[str, Any] = {"score": setting.score, "prioritise": CONSTRAINTS[setting.constraint]}
        if setting.score == "infogain":
            method["mim"] = None
        return self.plan.replace(privacy={"lkc": {"L": setting.L, "K": setting.K}}, method=method)

    def prioritised(self, constraint: str) -> frozenset[str]:
        """The attributes that a constraint puts first; none if there is none."""
        if CONSTRAINTS[constraint] is None:
            return frozenset()
        tiers = purpose_of(self.asked(Setting("infogain", constraint, 2, 2))).tiers
        return frozenset(name for name, tier in zip(self.attributes, tiers, strict=True) if tier == 0)

    def original(self) -> Learnable:
        """The table as it is: numbers are numbers."""
        return Learnable.of(self, self.table, self.plan)

    def released(self, setting: Setting, hierarchies: Mapping[str, str] | None = None) -> Learnable:
        """A release, with hierarchies for some numbers."""
        files = {name: {"hierarchy": file} for name, file in (hierarchies or {}).items()}
        plan = self.asked(setting).replace(attributes=files)
        return Learnable.of(self, om.anonymize(self.table, plan).to_arrow())


@dataclass(frozen=True, eq=False)
class Learnable:
    """The columns of a table as a tree sees them; `labels[j]` are the texts of the codes of a feature."""

    subject: Subject
    features: Sequence[Feature]
    labels: Sequence[list[str]]

    @classmethod
    def of(cls, subject: Subject, table: pa.Table, plan: om.Plan | None = None) -> Learnable:
        """Every value is a word of its own, but for numbers that a plan names."""
        features, labels = [], []
        for name in subject.attributes:
            values = table[name].to_pylist()
            if plan is not None and plan.attributes[name].kind == "numeric":
                numbers = np.array(values, np.float64)
                one = Feature.of_numbers(name, np.arange(len(values)), numbers)
                told = [f"{number:g}" for number in np.unique(numbers)]
            else:
                texts, codes = np.unique([str(value) for value in values], return_inverse=True)
                one, told = Feature.of_words(name, codes), texts.tolist()
            features.append(one)
            labels.append(told)
        return cls(subject, features, labels)

    @cached_property
    def tree(self) -> DecisionTree:
        """Grown from all records."""
        everybody = np.ones(len(self.subject.y), np.int64)
        return DecisionTree(self.features, self.subject.y, everybody, self.subject.options)

    def outcome(self) -> Outcome:
        """What is left, and how well trees predict records that they have not seen."""
        names = self.subject.attributes
        right = [
            accuracy(self.features, self.subject.y, folds, self.subject.options)
            for folds in self.subject.folds
        ]
        return Outcome(
            frozenset(name for name, told in zip(names, self.labels, strict=True) if len(told) > 1),
            frozenset(names[j] for j in self.tree.used),
            float(np.mean(right)),
        )

    def values(self, name: str) -> list[str]:
        """What stands in a column, ranges by where they begin."""
        texts = self.labels[self.subject.attributes.index(name)]
        return sorted(texts, key=lambda text: (one.low or 0) if (one := range_of(text)) else 0)

    def rules_on(self, name: str) -> list[str]:
        """The rules of the tree that ask for an attribute."""
        return [rule for rule in self.tree.rules(self.labels, ["no", "yes"]) if f"{name} = " in rule]


def cleveland() -> Subject:
    """The 297 complete records, with words for codes and any disease as the target; ten folds."""
    with data("heart/cleveland.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if "?" not in row.values()]
    columns = {name: [_WORDS.get(name, {}).get(row[name], row[name]) for row in rows] for name in rows[0]}
    columns["heart_disease"] = ["no" if text == "0" else "yes" for text in columns.pop("target")]
    y = np.array([text == "yes" for text in columns["heart_disease"]], np.int64)
    folds = [folds_of(y, np.ones_like(y), 10, np.random.default_rng(seed)) for seed in range(REPEATS)]
    return Subject(pa.table(columns), om.Plan.load(FILES / "cleveland.yaml"), (2, 4, 6), folds)


def chd_like(n: int = 26_000) -> Subject:
    """Invented patients in the shape of CHD_DB: trees grow from one half and are judged by the other.

    Leaves of one class stand side by side in table 4.1(c), so these trees are not pruned.
    """
    is_odd = np.arange(n)[:, None] % 2
    halves = np.hstack([is_odd, 1 - is_odd])
    plan = om.Plan.load(FILES / "chd.yaml")
    return Subject(chd(n), plan, (20, 40, 60, 80, 100), [halves], TreeOptions(least_gain=0.001, confidence=1))


def concepts_of(text: str, concepts: RangeSet) -> set[str]:
    """The concepts in which a released range begins and ends; what is no range is a concept itself."""
    one = range_of(text)
    if one is None:
        return {text}
    return {
        found.label for bound in (one.low, one.high) if bound is not None and (found := concepts.find(bound))
    }
