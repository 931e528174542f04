"""`ontomask ontology ...`: look into ontologies."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ontomask.cli.asking import asked_terms, write_keys
from ontomask.cli.hierarchy_parts import check_new
from ontomask.cli.printing import AsJson, as_cell, print_json, print_table, warn
from ontomask.cli.running import command

if TYPE_CHECKING:
    from ontomask.ontology import Ontology

ontologies = typer.Typer(help="Look into ontologies.", no_args_is_help=True)

OntologyName = Annotated[
    str, typer.Argument(metavar="NAME", help="A name (see `ontomask ontology list`) or a path.")
]
MeasureName = Annotated[str, typer.Option("--measure", "-m", help="Name of the measure.")]
ConventionName = Annotated[str | None, typer.Option(help="How edges are counted: links, ws4j or nltk.")]


@ontologies.command("list")
@command
def list_command(as_json: AsJson = False) -> None:
    """What can be loaded by name, and what is in the cache."""
    from ontomask.ontology import list_ontologies

    found = list_ontologies()
    if as_json:
        return print_json([vars(source) for source in found])
    return print_table(
        ("name", "concepts", "from"),
        [(s.name, f"{s.concepts:,}" if s.concepts else "", s.origin) for s in found],
    )


@ontologies.command("info")
@command
def info_command(name: OntologyName, as_json: AsJson = False) -> None:
    """Size, depth and contents of an ontology."""
    ontology = _load(name)
    facts = {
        "name": ontology.name,
        "concepts": len(ontology),
        "terms": len(ontology.terms),
        "is-a links": len(ontology.parents.values),
        "concepts with several parents": int((ontology.parents.counts > 1).sum()),
        "leaves": int(ontology.is_leaf.sum()),
        "root": ontology.labels[0],
        "greatest depth (longest path)": int(ontology.longest_depth.max()),
        "greatest depth (shortest path)": int(ontology.shortest_depth.max()),
        "glosses": ontology.glosses is not None,
        "semantic types": len(ontology.type_names or ()),
        "relations": {kind: len(links.values) for kind, links in ontology.relations.items()},
        "notes": list(ontology.notes),
        "digest": ontology.digest,
    }
    if as_json:
        return print_json(facts)
    return print_table((), [(key, as_cell(value)) for key, value in facts.items()])


@ontologies.command("senses")
@command
def senses_command(
    name: OntologyName,
    term: Annotated[str, typer.Argument(metavar="TERM")],
    as_json: AsJson = False,
) -> None:
    """What a term may mean, most frequent first, with definitions."""
    ontology = _load(name)
    found = [
        (ontology.key(int(c)), ontology.labels[c], ontology.gloss(int(c))) for c in ontology.candidates(term)
    ]
    if as_json:
        return print_json([{"concept": key, "label": label, "gloss": gloss} for key, label, gloss in found])
    return print_table(("concept", "label", "meaning"), found)


@ontologies.command("distance")
@command
def distance_command(
    name: OntologyName,
    first: Annotated[str, typer.Argument(metavar="TERM")],
    second: Annotated[str, typer.Argument(metavar="TERM")],
    measure: MeasureName = "logsc",
    convention: ConventionName = None,
    ic: Annotated[str | None, typer.Option(help="seco, sanchez or a file of counts.")] = None,
    as_json: AsJson = False,
) -> None:
    """How far apart two terms are (their closest senses)."""
    import numpy as np

    from ontomask.measures import measure as by_name

    ontology = _load(name)
    given = {"convention": convention, "ic": ic}
    chosen = by_name(measure, **{key: value for key, value in given.items() if value})
    left, right = ontology.candidates(first), ontology.candidates(second)
    distances = chosen.matrix(ontology, left, right)
    i, j = np.unravel_index(np.argmin(distances), distances.shape)
    a, b = int(left[i]), int(right[j])
    answer = {
        "distance": float(distances[i, j]),
        "similarity": float(chosen.similarities(ontology, [a], [b])[0, 0]),
        "measure": measure,
        "first": ontology.key(a),
        "second": ontology.key(b),
        "least common subsumer": ontology.key(int(ontology.lcs(a, b)[0])),
    }
    if as_json:
        return print_json(answer)
    return print_table((), [(key, as_cell(value)) for key, value in answer.items()])


@ontologies.command("path")
@command
def path_command(
    name: OntologyName,
    first: Annotated[str, typer.Argument(metavar="TERM")],
    second: Annotated[str | None, typer.Argument(metavar="[TERM]")] = None,
    as_json: AsJson = False,
) -> None:
    """The way from a term up to the root, or from one term to another."""
    ontology = _load(name)
    a = ontology.concept(first)
    if second is None:
        down: list[int] = []
        up = ontology.shortest_way(a, 0)
    else:
        b = ontology.concept(second)
        top = ontology.nearest_common_ancestor(a, b)
        up, down = ontology.shortest_way(a, top), ontology.shortest_way(b, top)[-2::-1]
    if as_json:
        steps = [*((c, "up") for c in up), *((c, "down") for c in down)]
        return print_json(
            [{"concept": ontology.key(c), "label": ontology.labels[c], "going": d} for c, d in steps]
        )
    rows = [("" if i == 0 else "is a", ontology.labels[c], ontology.key(c)) for i, c in enumerate(up)]
    rows += [("above", ontology.labels[c], ontology.key(c)) for c in down]
    return print_table((), rows)


@ontologies.command("attributes")
@command
def attributes_command(
    folder: Annotated[Path, typer.Argument(metavar="RRF", help="Folder of a UMLS release.")],
    target: Annotated[str, typer.Option(metavar="NAME", help="What the table is to answer: heart disease.")],
    names: Annotated[
        list[str],
        typer.Option(metavar="NAME[=TERM]", help="Attributes, comma-separated; TERM is a name or a CUI."),
    ],
    network: Annotated[
        Path | None, typer.Option(help="Folder of the Semantic Network, if it is elsewhere.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="YAML to write: keys of a plan's attributes.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """What attributes are in the UMLS: concept, semantic types, relations to the target."""
    from ontomask.ontology.semantics import meanings_of

    asked = asked_terms(names, "--names")
    if output is not None:
        check_new(output, [folder])
    found, meant = meanings_of(folder, asked, target, network)
    write_keys(
        output,
        {
            "attributes": {
                name: {"semantic_type": one.types[0], "semantic_relations": list(one.relations)}
                for name, one in found.items()
                if one.types
            }
        },
    )
    for name, term in asked.items():
        if name not in found:
            warn(f"warning: {name}: the UMLS has no name {term!r}; write {name}=TERM or {name}=CUI")
            continue
        if found[name].others:
            more = ", ".join(f"{cui} {label}" for cui, label in found[name].others)
            warn(f"note: {name} may also be {more}")
        if output is not None and len(found[name].types) > 1:
            warn(f"note: {name} has several semantic types; {found[name].types[0]!r} is written")
    if as_json:
        return print_json(
            {"target": asdict(meant), "attributes": {name: asdict(one) for name, one in found.items()}}
        )
    rows = [(name, one.cui, one.label, list(one.types), list(one.relations)) for name, one in found.items()]
    return print_table(
        ("attribute", "concept", "name", "semantic type", "relations to the target"),
        [*rows, (target, meant.cui, meant.label, list(meant.types), "(the target)")],
    )


def _load(name: str) -> Ontology:
    from ontomask.ontology import load_ontology

    return load_ontology(name)
