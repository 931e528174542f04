"""The Ontology: what words mean, as a directed acyclic graph of concepts under is-a.

Concepts are the integers 0..N-1, ordered by (longest depth, id), so that every parent comes before its
children. All structure is int32 arrays; labels and glosses are decoded only when somebody reads them.
It must not know where it came from (`formats`), nor how far apart concepts are (`measures`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, wraps
from typing import Any, Literal, TypeVar, TypeVarTuple

import numpy as np
import numpy.typing as npt

from ontomask.arrays import Int32, Int64
from ontomask.errors import OntologyError, UnknownTermError, did_you_mean
from ontomask.ontology.csr import Csr, Texts

ConceptIndices = npt.ArrayLike
MOST_ANCESTORS = 500_000_000  # 3 GB; SNOMED CT has some 10 million
SENSE_NAME = re.compile(r"^(?P<term>.+)\.n\.(?P<number>\d+)$")


@dataclass(frozen=True, eq=False)
class Closure(Csr):
    """Ancestors of every concept, itself included, ascending; `hops` = fewest is-a links up to each."""

    hops: npt.NDArray[np.int16]


@dataclass(frozen=True, eq=False)
class Ontology:
    """An immutable is-a graph with words.

    Parameters
    ----------
    name, digest
        What a user calls it; a hash of its content.
    ids, labels
        Per concept: its id in the source, and its preferred label.
    parents
        Per concept: its direct superconcepts (several are normal).
    terms, senses
        Every word or phrase, and the concepts it may mean, most frequent sense first.
    glosses, types, relations
        Optional: definitions; semantic types; further relations by name, such as ``has-part``.
    virtual_root
        Concept 0 was put above several tops by the loader.
    named_senses
        Concepts are referred to as ``fishing.n.01`` (WordNet) rather than by id.
    notes
        What the loader did that a user should know.
    """

    name: str
    ids: Texts
    labels: Texts
    parents: Csr
    terms: Texts
    senses: Csr
    digest: str
    glosses: Texts | None = None
    type_names: Texts | None = None
    types: Csr | None = None
    relations: Mapping[str, Csr] = field(default_factory=dict)
    virtual_root: bool = False
    named_senses: bool = False
    notes: tuple[str, ...] = ()
    _derived: dict[Any, Any] = field(init=False, repr=False, default_factory=dict)  # see `derived`

    def __len__(self) -> int:
        return len(self.parents)

    def __getstate__(self) -> dict[str, Any]:
        """For another process: what it can find out again is left behind."""
        return {one.name: getattr(self, one.name) for one in fields(self)} | {"_derived": {}}

    def __repr__(self) -> str:
        return f"<Ontology {self.name}: {len(self):,} concepts, {len(self.terms):,} terms>"

    # ------------------------------------------------------------------ structure

    @cached_property
    def children(self) -> Csr:
        """Direct subconcepts of every concept."""
        return self.parents.transposed(len(self))

    @cached_property
    def ancestors(self) -> Closure:
        """T(c), the taxonomic subsumers of every concept c, c included, over every is-a path."""
        from ontomask.ontology import _kernels

        closure = Closure(*_kernels.closure(self.parents.starts, self.parents.values, MOST_ANCESTORS))
        if not closure.starts[-1]:
            raise OntologyError(
                f"the concepts of {self.name} have more than {MOST_ANCESTORS:,} ancestors in all",
                remedy="load the part of it that is needed",
            )
        return closure

    @cached_property
    def subsumer_counts(self) -> Int32:
        """|T(c)| of every concept."""
        return self.ancestors.counts.astype(np.int32)

    @cached_property
    def longest_depth(self) -> Int32:
        """Links on the longest is-a path from the root to every concept."""
        return self._depth(np.maximum)

    @cached_property
    def shortest_depth(self) -> Int32:
        """Links on the shortest is-a path from the root to every concept."""
        return self._depth(np.minimum)

    def _depth(self, pick: np.ufunc) -> Int32:
        """Depth by levels: a level holds the concepts all of whose parents were reached before."""
        depth = np.zeros(len(self), np.int32)
        waiting = self.parents.counts.copy()
        level = np.flatnonzero(waiting == 0)
        while True:
            freed, times = np.unique(self.children.take(level).values, return_counts=True)
            waiting[freed] -= times
            level = freed[waiting[freed] == 0]
            if not len(level):
                return depth
            above = self.parents.take(level)
            depth[level] = pick.reduceat(depth[above.values], above.starts[:-1]) + 1

    @cached_property
    def descendant_counts(self) -> Int64:
        """Number of concepts strictly below every concept."""
        return np.bincount(self.ancestors.values, minlength=len(self)) - 1

    @cached_property
    def is_leaf(self) -> npt.NDArray[np.bool_]:
        """Whether a concept has no subconcept."""
        leaf: npt.NDArray[np.bool_] = self.children.counts == 0
        return leaf

    @cached_property
    def leaf_counts(self) -> Int64:
        """Number of leaves strictly below every concept (a leaf has none)."""
        leaves = self.ancestors.take(np.flatnonzero(self.is_leaf))
        return np.bincount(leaves.values, minlength=len(self)) - self.is_leaf

    def links_up(self, below: ConceptIndices, above: ConceptIndices) -> Int64:
        """Fewest is-a links from each concept up to its ancestor above[i]."""
        lower, upper = _pairs(below, above)
        rows = self.ancestors.take(lower)
        hit = rows.values == upper[rows.row_of_value]
        if hit.sum() < len(lower):
            miss = np.setdiff1d(np.arange(len(lower)), rows.row_of_value[hit])[0]
            top, concept = self.key(int(upper[miss])), self.key(int(lower[miss]))
            raise OntologyError(f"{top} is not an ancestor of {concept} in {self.name}")
        links: Int64 = self.ancestors.hops[self.ancestors.positions(lower)[hit]].astype(np.int64)
        return links

    def is_below(self, concepts: ConceptIndices, top: int) -> npt.NDArray[np.bool_]:
        """Whether each concept is `top` or a descendant of it."""
        rows = self.ancestors.take(np.atleast_1d(np.asarray(concepts)))
        hit: npt.NDArray[np.bool_] = (
            np.bincount(rows.row_of_value[rows.values == top], minlength=len(rows)) > 0
        )
        return hit

    # ------------------------------------------------------------------ common subsumers

    @cached_property
    def depth_rank(self) -> Int32:
        """Concepts ranked for LCS: greater longest depth first, then lower index; rank N-1 is best."""
        rank = np.empty(len(self), np.int32)
        rank[np.lexsort((-np.arange(len(self)), self.longest_depth))] = np.arange(len(self))
        return rank

    def lcs(self, a: ConceptIndices, b: ConceptIndices) -> Int32:
        """Least common subsumer of each pair (a[i], b[i]).

        The common ancestor of greatest depth along the longest path, ties by lowest concept index: no other
        common ancestor lies below it, as it would be deeper.
        """
        from ontomask.ontology import _kernels

        left, right = _pairs(a, b)
        closure = self.ancestors
        pairs: Int32 = _kernels.pair_lcs(closure.starts, closure.values, self.depth_rank, left, right)
        return pairs

    def common_ancestors(self, concepts: ConceptIndices) -> Int32:
        """The concepts that subsume every one of `concepts`, ascending."""
        distinct = np.unique(np.asarray(concepts))
        if not len(distinct):
            raise OntologyError("the common ancestors of an empty set are not defined")
        found, times = np.unique(self.ancestors.take(distinct).values, return_counts=True)
        shared: Int32 = found[times == len(distinct)]
        return shared

    def least_common_ancestors(self, concepts: ConceptIndices) -> Int32:
        """The common ancestors that have no other one below them: one on a tree, perhaps several in a DAG."""
        # An ancestor of a common ancestor is one too: it is least if it stands above itself alone.
        found, times = np.unique(
            self.ancestors.take(self.common_ancestors(concepts)).values, return_counts=True
        )
        least: Int32 = found[times == 1]
        return least

    def lcs_of_set(self, concepts: ConceptIndices) -> int:
        """Least common subsumer of a set: the one of highest depth rank."""
        common = self.common_ancestors(concepts)
        return int(common[np.argmax(self.depth_rank[common])])

    def subsumer_hierarchy(self, concepts: ConceptIndices) -> Int32:
        """Minimum subsumer hierarchy H(V): all concepts on every is-a path from V up to its LCS.

        Where there are several least common ancestors, H goes up to all of them (Martinez 2013, ch. 4).

        >>> from ontomask.ontology.draft import Draft
        >>> tree = Draft.from_edges("t", [("pain", "symptom"), ("ache", "pain"), ("colic", "pain")])
        >>> [tree.labels[c] for c in tree.subsumer_hierarchy([tree.concept("ache"), tree.concept("colic")])]
        ['pain', 'ache', 'colic']
        """
        tops = self.least_common_ancestors(concepts)
        above = np.unique(self.ancestors.take(np.unique(np.asarray(concepts))).values)
        rows = self.ancestors.take(above)
        under_a_top = np.bincount(rows.row_of_value, np.isin(rows.values, tops), minlength=len(rows)) > 0
        hierarchy: Int32 = above[under_a_top]
        return hierarchy

    def nearest_common_ancestor(self, a: int, b: int) -> int:
        """The common ancestor with the fewest links to both, ties by lowest index: where a path turns."""
        common, at_a, at_b = np.intersect1d(self.ancestors[a], self.ancestors[b], return_indices=True)
        hops = self.ancestors.hops
        links = hops[self.ancestors.starts[a] + at_a] + hops[self.ancestors.starts[b] + at_b]
        return int(common[np.argmin(links)])

    def shortest_way(self, below: int, above: int) -> list[int]:
        """Concepts on a shortest is-a path from a concept up to one of its ancestors, both included."""
        way = [below]
        while way[-1] != above:
            parents = self.parents[way[-1]]
            nearer = parents[self.is_below(parents, above)]
            way.append(int(nearer[np.argmin(self.links_up(nearer, above))]))
        return way

    # ------------------------------------------------------------------ words

    @cached_property
    def _index_of_id(self) -> dict[str, int]:
        return {concept_id: i for i, concept_id in enumerate(self.ids)}

    @cached_property
    def _index_of_term(self) -> dict[str, int]:
        return {term: i for i, term in enumerate(self.terms)}

    @cached_property
    def _terms_of_folded(self) -> dict[str, list[int]]:
        folded: dict[str, list[int]] = {}
        for i, term in enumerate(self.terms):
            folded.setdefault(term.casefold(), []).append(i)
        return folded

    @cached_property
    def terms_of_concept(self) -> Csr:
        """The terms (label and synonyms) of every concept."""
        return self.senses.transposed(len(self))

    def synonyms(self, concept: int) -> list[str]:
        """All terms of a concept."""
        return [self.terms[t] for t in self.terms_of_concept[concept]]

    def has_id(self, concept_id: str) -> bool:
        """Whether this is the id of a concept."""
        return concept_id in self._index_of_id

    def senses_of(self, term: str) -> Int32:
        """The concepts a term may mean, most frequent first; case is ignored if need be; empty if none."""
        exact = self._index_of_term.get(term)
        if exact is not None:
            return self.senses[exact]
        if self.named_senses:  # WordNet's own index is in lower case
            lower = self._index_of_term.get(term.lower())
            return self.senses[lower] if lower is not None else np.zeros(0, np.int32)
        folded = self._terms_of_folded.get(term.casefold(), [])
        return np.array(list(dict.fromkeys(c for t in folded for c in self.senses[t].tolist())), np.int32)

    def candidates(self, reference: str | int) -> Int32:
        """The concepts meant by an index, an id, a sense name (``fishing.n.01``) or a term, best first."""
        if isinstance(reference, (int, np.integer)):
            if not 0 <= reference < len(self):
                raise UnknownTermError(f"{self.name} has concepts 0..{len(self) - 1}, not {reference}")
            return np.array([reference], np.int32)
        if reference in self._index_of_id:
            return np.array([self._index_of_id[reference]], np.int32)
        senses = self.senses_of(reference)
        if not len(senses):
            senses = self.senses_of(reference.replace("_", " "))
        if not len(senses) and (name := SENSE_NAME.match(reference)):
            numbered = self.senses_of(name["term"].replace("_", " "))
            if not 1 <= int(name["number"]) <= len(numbered):
                raise UnknownTermError(
                    f"{self.name} has no sense {reference!r}: {name['term']!r} has {len(numbered)} senses",
                    value=reference,
                )
            senses = numbered[int(name["number"]) - 1 : int(name["number"])]
        if not len(senses):
            # Looking for similar words among millions would take longer than a person waits.
            hint = did_you_mean(reference, self.terms, most=3) if len(self) < 200_000 else ""
            raise UnknownTermError(
                f"{self.name} has no term, sense or id {reference!r}{hint}", value=reference
            )
        return senses

    def concept(self, reference: str | int) -> int:
        """Index of a concept given by index, id, sense name or term (its most frequent sense)."""
        return int(self.candidates(reference)[0])

    def concepts(self, references: Iterable[str | int]) -> Int32:
        """Indices of several concepts; see `concept`."""
        return np.array([self.concept(reference) for reference in references], np.int32)

    def key(self, concept: int) -> str:
        """How a user refers to a concept: its sense name in WordNet, its id elsewhere."""
        if not self.named_senses or SENSE_NAME.match(self.ids[concept]):
            return self.ids[concept]
        lemma = self.labels[concept].lower()
        senses = self.senses_of(lemma).tolist()
        if concept not in senses:
            return self.ids[concept]
        number = senses.index(concept) + 1
        return f"{lemma.replace(' ', '_')}.n.{number:02d}"

    def gloss(self, concept: int) -> str:
        """Definition of a concept, or an empty string."""
        return self.glosses[concept] if self.glosses else ""

    def semantic_types(self, concept: int) -> list[str]:
        """Semantic types of a concept (UMLS), or an empty list."""
        if self.types is None or self.type_names is None:
            return []
        return [self.type_names[t] for t in self.types[concept]]

    def with_leaves(self, labels: Sequence[str]) -> Ontology:
        """This ontology with further leaves right below the root, in the order given, after all others."""
        n = len(self)
        own = set(self.ids)
        ids = [label if label not in own else f"{label} (added)" for label in labels]
        known = set(self.terms)
        new = [label for label in dict.fromkeys(labels) if label not in known]
        starts, values = self.parents.starts, self.parents.values
        return replace(
            self,
            ids=Texts.of([*self.ids, *ids]),
            labels=Texts.of([*self.labels, *labels]),
            parents=Csr(
                np.concatenate([starts, starts[-1] + 1 + np.arange(len(labels))]),
                np.concatenate([values, np.zeros(len(labels), np.int32)]),
            ),
            terms=Texts.of([*self.terms, *new]),
            senses=Csr(
                np.concatenate([self.senses.starts, self.senses.starts[-1] + 1 + np.arange(len(new))]),
                np.concatenate(
                    [self.senses.values, np.array([n + list(labels).index(label) for label in new], np.int32)]
                ),
            ),
            digest=hashlib.sha256("\n".join([self.digest, *labels]).encode()).hexdigest(),
            glosses=Texts.of([*self.glosses, *[""] * len(labels)]) if self.glosses else None,
            types=None,
            type_names=None,
            relations={},
            notes=(
                *self.notes,
                f"{len(labels):,} words that it lacks count as concepts of their own, unlike all others",
            ),
        )

    # ------------------------------------------------------------------ meaning, by way of `measures`

    def distance(self, a: str | int, b: str | int, measure: str = "logsc", **options: Any) -> float:
        """How far apart two terms are: the closest pair of their senses.

        >>> from ontomask import load_ontology
        >>> round(load_ontology("wordnet").distance("lumbago", "migraine"), 4)
        0.387
        """
        return self._closest(a, b, measure, options, "matrix", np.min)

    def similarity(self, a: str | int, b: str | int, measure: str = "logsc", **options: Any) -> float:
        """How similar two terms are: the most similar pair of their senses.

        >>> from ontomask import load_ontology
        >>> wn = load_ontology("wordnet")
        >>> round(wn.similarity("math teacher", "teacher", measure="wup", convention="ws4j"), 4)
        0.96
        """
        return self._closest(a, b, measure, options, "similarities", np.max)

    def _closest(
        self,
        a: str | int,
        b: str | int,
        measure: str,
        options: Mapping[str, Any],
        table: Literal["matrix", "similarities"],
        best: Any,
    ) -> float:
        # The convenience points against the import order, so it looks its neighbour up when called.
        from ontomask.measures import measure as by_name

        values = getattr(by_name(measure, **options), table)(self, self.candidates(a), self.candidates(b))
        return float(best(values))


def _pairs(a: ConceptIndices, b: ConceptIndices) -> tuple[Int64, Int64]:
    """Both as flat arrays of one length."""
    left, right = np.broadcast_arrays(np.atleast_1d(np.asarray(a)), np.atleast_1d(np.asarray(b)))
    return left.astype(np.int64), right.astype(np.int64)


Key = TypeVarTuple("Key")
Result = TypeVar("Result")


def derived(build: Callable[[Ontology, *Key], Result]) -> Callable[[Ontology, *Key], Result]:
    """Decorate a function of an ontology: its results are kept with the ontology, and go when that goes.

    >>> @derived
    ... def longest_label(ontology):
    ...     return max(ontology.labels, key=len)
    """

    @wraps(build)
    def kept(ontology: Ontology, *key: *Key) -> Result:
        place = (build, *key)
        if place not in ontology._derived:
            ontology._derived[place] = build(ontology, *key)
        result: Result = ontology._derived[place]
        return result

    return kept
