"""What a table is released for: which quasi-identifiers matter most to the question that analysts ask.

Constraints by semantic type and by relation to the target, and how closely the literature ties a column to it
(document 003, sections 3.2 and 3.3). What columns are is said by the plan or by the DGH files of their
hierarchies, how they are tied by the plan or by counts of their terms in texts; this module knows no table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ontomask.errors import OntomaskError, PlanError
from ontomask.hierarchies.formats import FORMATS, dgh
from ontomask.methods.top_down import TopDown
from ontomask.ontology.formats.dgh import parse
from ontomask.ontology.formats.reading import read_text
from ontomask.plan import Plan


class Semantics(NamedTuple):
    """What kind of thing an attribute is, and what it has to do with the target."""

    types: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()


class Purpose(NamedTuple):
    """Per quasi-identifier how far it stands behind those that matter most, and its MIM."""

    tiers: tuple[int, ...] = ()
    mim: tuple[float, ...] = ()


def purpose_of(plan: Plan) -> Purpose:
    """What the method of a plan has to know of its quasi-identifiers, in their order.

    >>> gender = {"role": "quasi-identifier", "semantic_type": "Organism Attribute"}
    >>> race = {"role": "quasi-identifier", "semantic_type": "Population Group"}
    >>> method = {"name": "top-down", "prioritise": {"types": ["population group"]}}
    >>> purpose_of(Plan.from_dict({"attributes": {"gender": gender, "race": race}, "method": method})).tiers
    (1, 0)
    """
    method, names = plan.method.own, plan.with_role("quasi-identifier")
    if not isinstance(method, TopDown):
        return Purpose()
    mim = mim_of(plan)
    asked = method.prioritise or {}
    known = semantics_of(plan) if asked else {}
    _check_known(asked, known)
    tiers = tuple(tier_of(known.get(name, Semantics()), asked) for name in names)
    return Purpose(tiers, tuple(mim.get(name, 0.0) for name in names))


def mim_of(plan: Plan) -> Mapping[str, float]:
    """How closely the literature ties each quasi-identifier to the target: ``MIM = P_AB / (P_A P_B)``.

    As the plan says, else counted in the literature that it names (Loh 2012, equation 3.3.4).
    """
    method = plan.method.own
    if not isinstance(method, TopDown):
        return {}
    if method.literature is None:
        return method.mim or {}
    # Few plans need it, and it loads a database and a client.
    from ontomask.literature import mim_of as mim_of_terms
    from ontomask.literature import open_literature

    assert method.target is not None  # `TopDown.conflicts`
    source = method.literature if method.asks_a_service else str(plan.path_of(method.literature))
    terms = method.terms or {name: name for name in plan.with_role("quasi-identifier")}
    try:
        known = open_literature(source)
        return mim_of_terms(terms, method.target_term or method.target, known, method.literature_filter)
    except OntomaskError as error:
        raise error.at(key="method.literature") from None


def semantics_of(plan: Plan) -> Mapping[str, Semantics]:
    """Semantic type and relations of each quasi-identifier: as the plan says, else as its DGH file does."""
    found = {}
    for name in plan.with_role("quasi-identifier"):
        settings = plan.attributes[name]
        in_file = _semantics_in_file(plan, name)
        found[name] = Semantics(
            in_file.types if settings.semantic_type is None else (settings.semantic_type,),
            in_file.relations if settings.semantic_relations is None else settings.semantic_relations,
        )
    return found


def tier_of(known: Semantics, asked: Mapping[str, Sequence[str]]) -> int:
    """How many of the constraints `types` and `relations` an attribute does not match.

    >>> tier_of(Semantics(("Carbohydrate",), ("causes", "affects")), {"relations": ["Causes"]})
    0
    """
    return sum(_spelt(getattr(known, key)).isdisjoint(_spelt(wanted)) for key, wanted in asked.items())


def _semantics_in_file(plan: Plan, name: str) -> Semantics:
    hierarchy = plan.attributes[name].hierarchy
    for file in (hierarchy.files if hierarchy else None) or ():
        path = plan.path_of(file)
        if FORMATS.get(path.suffix.lower()) is dgh:
            blocks = parse(read_text(path), path, may_repeat=True)
            for block in blocks:
                if block.name == name or len(blocks) == 1:
                    return Semantics((block.semantic_type,), block.relations)
    return Semantics()


def _check_known(asked: Mapping[str, Sequence[str]], known: Mapping[str, Semantics]) -> None:
    """Raise if a constraint fits no column at all: it is misspelt, or nobody said what columns are."""
    for key, wanted in asked.items():
        there = sorted({text for one in known.values() for text in getattr(one, key)})
        for text in wanted:
            if _spelt([text]).isdisjoint(_spelt(there)):
                setting = "semantic_type" if key == "types" else "semantic_relations"
                raise PlanError(
                    f"no quasi-identifier has {text!r} among its {key}",
                    key=f"method.prioritise.{key}",
                    value=text,
                    remedy=f"known are {', '.join(there)}" if there else f"give columns a {setting}",
                )


def _spelt(texts: Iterable[str]) -> set[str]:
    """Texts in one spelling: `Associated-with` and `associated_with` are the same."""
    return {" ".join(text.casefold().replace("_", " ").replace("-", " ").split()) for text in texts}
