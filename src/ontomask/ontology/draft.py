"""A Draft collects what a file says about concepts and turns it into an Ontology, or says what is wrong.

All loaders write into it; it alone checks the graph (duplicate ids, dangling parents, cycles, no root) and
puts concepts into their final order.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from ontomask.arrays import Int32, Int64
from ontomask.errors import Fault, OntologyError
from ontomask.ontology.core import Ontology
from ontomask.ontology.csr import Csr, Texts

VIRTUAL_ROOT = "*"
DEEPEST = 10_000  # levels; every concept keeps the list of its ancestors, and WordNet has twenty


class Draft:
    """What has been read of an ontology so far.

    Set `source` to the file being read: with the line numbers given, errors can say where.

    >>> draft = Draft("conditions")
    >>> draft.concept("s", "symptom"); draft.concept("p", "pain")
    >>> draft.is_a("p", "s")
    >>> draft.term("p", "hurt")
    >>> draft.finish().synonyms(1)
    ['hurt', 'pain']
    """

    def __init__(self, name: str, source: str | Path = "") -> None:
        self.name = name
        self.source = source
        self._labels: dict[str, str] = {}
        self._places: dict[str, tuple[str | Path, int]] = {}
        self._edges: list[tuple[str, str, str | Path, int]] = []
        self._terms: dict[str, list[str]] = {}
        self._sense_order: dict[str, list[str]] = {}
        self._glosses: dict[str, str] = {}
        self._types: dict[str, list[str]] = {}
        self._relations: dict[str, list[tuple[str, str]]] = {}
        self._notes: list[str] = []

    @classmethod
    def from_edges(cls, name: str, edges: Iterable[tuple[str, str]]) -> Ontology:
        """An ontology whose labels are its ids, from (child, parent) pairs."""
        draft = cls(name)
        for edge in edges:
            for label in edge:
                if label not in draft:
                    draft.concept(label, label)
            draft.is_a(*edge)
        return draft.finish()

    def __contains__(self, concept_id: str) -> bool:
        return concept_id in self._labels

    def __len__(self) -> int:
        return len(self._labels)

    # ------------------------------------------------------------------ what loaders call

    def concept(self, concept_id: str, label: str = "", line: int = 0) -> None:
        """Declare a concept; its label may follow later (`label`), else the id serves."""
        if concept_id in self._labels:
            first = place(*self._places[concept_id])
            raise OntologyError(
                f"the id {concept_id!r} is used twice" + (f" (first: {first})" if first else ""),
                **at(self.source, line),
                value=concept_id,
                remedy="ids must be unique",
            )
        self._labels[concept_id] = label
        self._places[concept_id] = (self.source, line)

    def label(self, concept_id: str, text: str) -> None:
        """Set the preferred label of a declared concept."""
        self._labels[concept_id] = text

    def is_a(self, child: str, parent: str, line: int = 0) -> None:
        """State that `child` is a kind (or an instance) of `parent`; either may be declared later."""
        self._edges.append((child, parent, self.source, line))

    def term(self, concept_id: str, text: str) -> None:
        """Add a synonym."""
        self._terms.setdefault(concept_id, []).append(text)

    def senses(self, term: str, concept_ids: list[str]) -> None:
        """State which concepts a term may mean, most frequent first (sources that know the order)."""
        self._sense_order[term] = concept_ids

    def gloss(self, concept_id: str, text: str) -> None:
        """Set the definition."""
        self._glosses[concept_id] = text

    def semantic_type(self, concept_id: str, name: str) -> None:
        """Add a semantic type."""
        self._types.setdefault(concept_id, []).append(name)

    def relation(self, name: str, subject: str, target: str) -> None:
        """Add a typed relation other than is-a; dropped if either end is not declared in the end."""
        self._relations.setdefault(name, []).append((subject, target))

    def note(self, text: str) -> None:
        """Record something the user should know about how the source was read."""
        self._notes.append(text)

    # ------------------------------------------------------------------ the check and the build

    def finish(self, *, named_senses: bool = False) -> Ontology:
        """Check everything and build the ontology."""
        if not self._labels:
            raise OntologyError("no concepts found; is this the right file and format?", **at(self.source))
        ids = list(self._labels)
        child, parent = self._numbered_edges({concept_id: i for i, concept_id in enumerate(ids)})
        depth = self._longest_depth(ids, child, parent)
        tops = np.flatnonzero(depth == 0)
        if len(tops) > 1:
            root = VIRTUAL_ROOT if VIRTUAL_ROOT not in self._labels else "(root)"
            self.note(
                f"{len(tops):,} concepts have nothing above them: {root!r} stands for all of them together"
            )
            self._labels[root] = root
            ids.append(root)
            child = np.concatenate([child, tops.astype(np.int64)])
            parent = np.concatenate([parent, np.full(len(tops), len(ids) - 1)])
            depth = np.append(depth + 1, 0)

        order = sorted(range(len(ids)), key=lambda i: (depth[i], ids[i]))
        ids = [ids[i] for i in order]
        final = np.empty(len(ids), np.int64)
        final[order] = np.arange(len(ids))
        child, parent = final[child], final[parent]
        by_child = np.lexsort((parent, child))
        parents = Csr.from_pairs(child[by_child], parent[by_child], len(ids))

        index = {concept_id: i for i, concept_id in enumerate(ids)}
        labels = [self._labels[concept_id] or concept_id for concept_id in ids]
        terms, senses = self._senses(ids, labels, index)
        type_names = sorted({name for names in self._types.values() for name in names})
        type_index = {name: i for i, name in enumerate(type_names)}
        typed = [(index[c], type_index[t]) for c, names in self._types.items() if c in index for t in names]
        relations = {
            name: table(
                sorted({(index[a], index[b]) for a, b in pairs if a in index and b in index}), len(ids)
            )
            for name, pairs in sorted(self._relations.items())
        }
        words = Texts.of(ids), Texts.of(labels), Texts.of(terms)
        return Ontology(
            name=self.name,
            ids=words[0],
            labels=words[1],
            parents=parents,
            terms=words[2],
            senses=senses,
            digest=digest_of(*words, parents, senses),
            glosses=Texts.of(self._glosses.get(i, "") for i in ids) if self._glosses else None,
            type_names=Texts.of(type_names) if type_names else None,
            types=table(sorted(set(typed)), len(ids)) if type_names else None,
            relations={name: links for name, links in relations.items() if len(links.values)},
            virtual_root=len(tops) > 1,
            named_senses=named_senses,
            notes=tuple(self._notes),
        )

    def _numbered_edges(self, index: dict[str, int]) -> tuple[Int64, Int64]:
        dangling = [edge for edge in self._edges if edge[0] not in index or edge[1] not in index]
        if dangling:
            child, parent, source, line = dangling[0]
            missing = parent if child in index else child
            more = f" ({len(dangling):,} such links in all)" if len(dangling) > 1 else ""
            raise OntologyError(
                f"{child!r} is-a {parent!r}, but {missing!r} is not defined{more}",
                **at(source, line),
                value=missing,
                remedy="add it or remove the link",
            )
        pairs = sorted({(index[child], index[parent]) for child, parent, _, _ in self._edges})
        edges = np.array(pairs, np.int64).reshape(-1, 2)
        return edges[:, 0], edges[:, 1]

    def _longest_depth(self, ids: list[str], child: Int64, parent: Int64) -> Int32:
        """Kahn's algorithm level by level: the level at which a concept is freed is its longest depth."""
        n = len(ids)
        children = Csr.from_pairs(parent, child, n)
        waiting = np.bincount(child, minlength=n)
        depth = np.full(n, -1, np.int32)
        level, frontier = 0, np.flatnonzero(waiting == 0)
        if not len(frontier):
            raise OntologyError(
                "every concept has a parent, so there is no root; a cycle: "
                f"{self._a_cycle(ids, child, parent, depth)}",
                **at(self.source),
                remedy="remove one of these links",
            )
        while len(frontier):
            if level > DEEPEST:
                raise too_deep(**at(self.source), value=ids[frontier[0]])
            depth[frontier] = level
            freed, times = np.unique(children.take(frontier).values, return_counts=True)
            waiting[freed] -= times
            frontier = freed[waiting[freed] == 0]
            level += 1
        if (depth < 0).any():
            cycle = self._a_cycle(ids, child, parent, depth)
            raise OntologyError(
                f"the is-a links form a cycle: {cycle}",
                **at(self.source),
                remedy="remove one of these links",
            )
        return depth

    def _a_cycle(self, ids: list[str], child: Int64, parent: Int64, depth: Int32) -> str:
        stuck = {int(c): int(p) for c, p in zip(child, parent, strict=True) if depth[c] < 0 and depth[p] < 0}
        concept = min(stuck)
        seen: dict[int, int] = {}
        while concept not in seen:
            seen[concept] = len(seen)
            concept = stuck[concept]
        cycle = [*list(seen)[seen[concept] :], concept]
        where = {(c, p): place(source, line) for c, p, source, line in self._edges}
        line = where.get((ids[cycle[0]], ids[cycle[1]]), "")
        chain = " is-a ".join(repr(ids[i]) for i in cycle)
        return f"{chain}{f' ({line})' if line else ''}"

    def _senses(self, ids: list[str], labels: list[str], index: dict[str, int]) -> tuple[list[str], Csr]:
        """Terms in code point order with their concepts: as the source ranks them, else labels first."""
        meant: dict[str, dict[int, None]] = {}
        for term, concept_ids in self._sense_order.items():
            meant[term] = dict.fromkeys(index[i] for i in concept_ids)
        if not self._sense_order:
            for i, label in enumerate(labels):
                meant.setdefault(label, {})[i] = None
        for concept_id in ids:
            for text in self._terms.get(concept_id, ()):
                if text:
                    meant.setdefault(text, {})[index[concept_id]] = None
        terms = sorted(meant)
        pairs = [(t, c) for t, term in enumerate(terms) for c in meant[term]]
        return terms, table(pairs, len(terms))


def table(pairs: list[tuple[int, int]], n_rows: int) -> Csr:
    """A Csr from (row, value) pairs."""
    array = np.array(pairs, np.int64).reshape(-1, 2)
    return Csr.from_pairs(array[:, 0], array[:, 1], n_rows)


def at(source: str | Path, line: int = 0) -> dict[str, Any]:
    """Where a fault is, for the fields of an error.

    >>> str(OntologyError("an empty label", **at("folder/tree.csv", 7)))
    'tree.csv, line 7: an empty label'
    """
    return {"file": Path(source).name if source else "", "line": line}


def place(source: str | Path, line: int = 0) -> str:
    """``file, line 7`` within a message; empty if nothing is known."""
    return str(Fault("", **at(source, line)))


def too_deep(**where: Any) -> OntologyError:
    """What to raise at the first level that is one too many."""
    return OntologyError(
        f"the is-a links are more than {DEEPEST:,} levels deep", **where, remedy="is it a list, not a tree?"
    )


def digest_of(ids: Texts, labels: Texts, terms: Texts, parents: Csr, senses: Csr) -> str:
    """SHA-256 of what an ontology says, whatever file it came from."""
    content = hashlib.sha256()
    for texts in (ids, labels, terms):
        content.update(texts.blob() + b"\0")
    for rows in (parents, senses):
        content.update(rows.starts.astype("<i8").tobytes() + rows.values.astype("<i4").tobytes())
    return content.hexdigest()
