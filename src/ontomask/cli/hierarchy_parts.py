"""What the commands `ontomask hierarchy ...` share: how hierarchies are judged and where they are written."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ontomask.cli.printing import warn
from ontomask.errors import OntomaskError
from ontomask.files import is_there

if TYPE_CHECKING:
    from ontomask.hierarchies import Hierarchy
    from ontomask.hierarchies.drawing import Drawn
    from ontomask.hierarchies.findings import Findings
    from ontomask.hierarchies.gsl import Gsl
    from ontomask.linking import Links
    from ontomask.measures import Measure
    from ontomask.ontology import Ontology

SHOWN = 10
"""Lines below a heading; --all shows the others."""

FilePath = Annotated[Path, typer.Argument(metavar="FILE", help="Hierarchy: .csv (ARX), .yaml, .json, .dgh.")]
OntologyName = Annotated[str, typer.Option(help="A name (see `ontomask ontology list`) or a path.")]
Attribute = Annotated[str | None, typer.Option("--column", "-c", help="Which one, if a .dgh has several.")]
MeasureName = Annotated[str, typer.Option("--measure", "-m", help="How loss is measured.")]
Convention = Annotated[str | None, typer.Option(help="links, ws4j or nltk; of wup, ws4j if not given.")]
Senses = Annotated[str, typer.Option(help="What labels mean: coherent, first or explicit.")]
Mapped = Annotated[Path | None, typer.Option("--mapping", help="What labels stand for (CSV value,concept).")]
Under = Annotated[str | None, typer.Option(help="Values mean only what lies below this concept.")]
Aggregate = Annotated[str, typer.Option(help="Values of a level taken together: mean or max.")]
Weighting = Annotated[str, typer.Option(help="Weight of levels: uniform, or level (lower ones more).")]
All = Annotated[bool, typer.Option("--all", help="Shorten nothing.")]


@dataclass(frozen=True)
class Asked:
    """How hierarchies are to be judged."""

    ontology: str
    measure: str
    convention: str | None
    senses: str
    mapping: Path | None
    under: str | None
    aggregate: str = "mean"
    weighting: str = "uniform"

    def loaded(self) -> Ontology:
        from ontomask.ontology import load_ontology

        return load_ontology(self.ontology)

    def chosen(self) -> Measure:
        from ontomask.measures import measure as by_name

        convention = self.convention or ("ws4j" if self.measure == "wup" else None)
        return by_name(self.measure, **({"convention": convention} if convention else {}))


@dataclass(frozen=True)
class Judged:
    """A hierarchy with its score and what is worth a look."""

    gsl: Gsl
    links: Links
    findings: Findings

    @classmethod
    def of(cls, tree: Hierarchy, ontology: Ontology, asked: Asked) -> Judged:
        from ontomask.hierarchies.findings import findings_of
        from ontomask.hierarchies.gsl import Gsl, linked_nodes

        links = linked_nodes(
            tree,
            ontology,
            senses=asked.senses,  # type: ignore[arg-type]
            mapping=asked.mapping,
            under=asked.under,
        )
        gsl = Gsl(tree, ontology, links.concepts, asked.chosen(), asked.aggregate, asked.weighting)  # type: ignore[arg-type]
        return cls(gsl, links, findings_of(gsl, links))

    @property
    def words(self) -> str:
        from ontomask.hierarchies.findings import score_in_words

        return score_in_words(self.gsl)

    @property
    def measured(self) -> str:
        from ontomask.hierarchies.findings import measured_in_words

        return measured_in_words(self.gsl)

    def known(self) -> Hierarchy:
        """The hierarchy, which says what its labels stand for."""
        meant = {one.value: self.links.key(one.value) for one in self.links}
        return replace(
            self.gsl.hierarchy, concepts={label: key for label, key in meant.items() if key is not None}
        )


def check_one_of(option: str, given: str, known: Sequence[str]) -> None:
    if given not in known:
        raise OntomaskError(
            f"there is no {option} {given!r}",
            value=given,
            is_public=True,
            remedy=f"use {', '.join(known[:-1])} or {known[-1]}",
        )


def check_new(output: Path, inputs: Sequence[Path]) -> None:
    """Nothing that is there is written over."""
    from ontomask.outputs import check_apart, check_no_release

    check_apart([output], inputs)
    check_no_release(output)
    if is_there(output):
        raise OntomaskError(f"{output} is there already", remedy="remove it or choose another name")


def written(tree: Hierarchy, output: Path) -> tuple[str, ...]:
    """Write it; returns what the file does not say."""
    from ontomask.hierarchies.formats import write_hierarchy

    return write_hierarchy(tree, output)


def tell_written(output: Path, lost: Sequence[str]) -> None:
    warn(f"wrote {output}; in a plan: `hierarchy: {output}`")
    for line in lost:
        warn(f"note: {line}")


def levels_as_dicts(drawn: Drawn) -> dict[str, Any]:
    tree, lost = drawn.hierarchy, [0.0, *drawn.level_gsl]
    return {
        "levels": [
            {
                "level": level,
                "labels": len(tree.nodes_at(level)),
                **({"gsl": lost[level]} if drawn.level_gsl else {}),
            }
            for level in range(tree.height + 1)
        ]
    }


def is_number(text: str) -> bool:
    with suppress(ValueError):
        return isfinite(float(text))
    return False
