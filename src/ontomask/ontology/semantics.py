"""What attributes are in the UMLS: concept, semantic types, and relations of these to the type of a target.

Loh 2012, section 3.2: a user prioritises attributes by them. Names are looked up in MRCONSO, types in MRSTY,
relations in the Semantic Network (SRSTR, SRSTRE). It knows no table and no plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ontomask.errors import UnknownTermError
from ontomask.ontology.core import Ontology
from ontomask.ontology.formats.rrf import SUPPRESSED, load_network, name_rank, needed, rows

_NAME = ("CUI", "LAT", "TS", "STT", "ISPREF", "STR", "SUPPRESS")


@dataclass(frozen=True)
class Meaning:
    """A concept of the UMLS that a name may mean.

    Attributes
    ----------
    cui, label
        Its identifier and its preferred name.
    types
        Its semantic types, such as ``Organism Attribute``; those that are related to the target come first.
    relations
        How its types are related to those of the target, such as ``result_of``.
    others
        The identifiers and names of other concepts that have the name, too.
    """

    cui: str
    label: str
    types: tuple[str, ...]
    relations: tuple[str, ...] = ()
    others: tuple[tuple[str, str], ...] = ()


def meanings_of(
    folder: str | Path, names: Mapping[str, str], target: str, network: str | Path | None = None
) -> tuple[dict[str, Meaning], Meaning]:
    """What attributes and the target mean; attributes that the UMLS does not have are left out.

    Parameters
    ----------
    folder
        A UMLS release, or the part of it with the RRF files.
    names
        Per attribute a name that the UMLS has, or a CUI.
    target
        The same of the target.
    network
        The folder of the Semantic Network, if it is not in `folder`.
    """
    folder = Path(folder)
    wanted = {_folded(name) for name in (*names.values(), target)}
    candidates = _candidates(needed(folder, "MRCONSO.RRF"), wanted)
    if _folded(target) not in candidates:
        raise UnknownTermError(
            f"the UMLS has no English name or CUI {target!r}",
            value=target,
            file=str(folder),
            remedy="use a name of it for the target, or a CUI such as C0018799",
        )
    concepts = {cui for found in candidates.values() for cui in found}
    labels = _labels(needed(folder, "MRCONSO.RRF"), concepts)
    types = _types(needed(folder, "MRSTY.RRF"), concepts)
    related = load_network(Path(network) if network else folder, "Semantic Network")
    at_target = types.get(candidates[_folded(target)][0], ())

    def meaning(name: str) -> Meaning:
        cui, *others = candidates[_folded(name)]
        by_type = {
            kind: {one for to in at_target for one in relations_of(related, kind, to)}
            for kind in types.get(cui, ())
        }
        return Meaning(
            cui,
            labels[cui],
            tuple(sorted(by_type, key=lambda kind: (not by_type[kind], kind))),
            tuple(sorted(set().union(*by_type.values()))),
            tuple((one, labels[one]) for one in others),
        )

    found = {name: meaning(term) for name, term in names.items() if _folded(term) in candidates}
    return found, meaning(target)


def relations_of(network: Ontology, kind: str, target: str) -> list[str]:
    """The relations by which a semantic type points to another: *Virus causes Disease or Syndrome*."""
    subject, to = network.concept(kind), network.concept(target)
    return [relation for relation, links in network.relations.items() if to in links[subject]]


def _folded(name: str) -> str:
    """A name without case, hyphens and underscores."""
    return " ".join(name.casefold().replace("-", " ").replace("_", " ").split())


def _candidates(path: Path, wanted: Iterable[str]) -> dict[str, list[str]]:
    """The CUIs that have each wanted name, those first whose own name it is; a CUI is its own name."""
    names = set(wanted)
    ranks: dict[str, dict[str, int]] = {}
    for _, (cui, language, ts, stt, is_preferred, text, suppress) in rows(path, *_NAME):
        if language != "ENG" or suppress in SUPPRESSED:
            continue
        for name in (_folded(text), cui.casefold()):
            if name in names:
                found, rank = ranks.setdefault(name, {}), name_rank(ts, stt, is_preferred)
                found[cui] = min(rank, found.get(cui, rank))
    return {name: sorted(found, key=lambda cui: (found[cui], cui)) for name, found in ranks.items()}


def _labels(path: Path, concepts: set[str]) -> dict[str, str]:
    """The preferred English name of each concept."""
    best: dict[str, tuple[int, str]] = {}
    for _, (cui, language, ts, stt, is_preferred, text, suppress) in rows(path, *_NAME):
        if cui in concepts and language == "ENG" and suppress not in SUPPRESSED:
            rank = name_rank(ts, stt, is_preferred)
            if cui not in best or rank < best[cui][0]:
                best[cui] = rank, text
    return {cui: text for cui, (_, text) in best.items()}


def _types(path: Path, concepts: set[str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, set[str]] = {}
    for _, (cui, semantic_type) in rows(path, "CUI", "STY"):
        if cui in concepts:
            found.setdefault(cui, set()).add(semantic_type)
    return {cui: tuple(sorted(types)) for cui, types in found.items()}
