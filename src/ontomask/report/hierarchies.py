"""The hierarchy of a column in the report: what may be told of it, and what the release made of it.

Values that fewer than k people have are left out of the tree; a label above the values is told by the name
that the release would write for it.
"""

from __future__ import annotations

from typing import cast

from ontomask.columns.generalized import GeneralizedColumn
from ontomask.hierarchies.drawing import Drawn, drawn_of
from ontomask.hierarchies.findings import Findings, falls, worst_transitions
from ontomask.hierarchies.gsl import Gsl
from ontomask.measures import Measure
from ontomask.report.changes import Change, Changes

_MOST_ROWS = 120  # of a drawing that is still looked at
_MOST_WORST = 5


def hierarchy_told(changes: Changes, measure: Measure) -> Drawn | None:
    """The tree over a column's values with people at each, what they became, and where meaning is lost.

    None if the column has no hierarchy, or no value that may be told.
    """
    column = changes.column
    if not isinstance(column, GeneralizedColumn):
        return None
    tree, attribute = column.tree, column.attribute
    codes = [code for code in range(attribute.size) if code != attribute.missing]  # of the tree's values
    told = [v for v, code in enumerate(codes) if changes.before_counts[code] >= changes.least]
    told = sorted(sorted(told, key=lambda v: -int(changes.before_counts[codes[v]]))[:_MOST_ROWS])
    if not told:
        return None
    labels = [cast(str, column.labels[code]) for code in codes] + list(tree.labels[tree.n_values :])
    shown, nodes = tree.of_values(told, labels)
    counts = changes.before_counts[[codes[v] for v in told]]
    replacement = {text: r for r, text in enumerate(changes.after_texts) if changes.after_counts[r]}
    released = {
        node: int(changes.after_counts[replacement[label]])
        for node, label in enumerate(shown.labels)
        if label in replacement
    }
    # Where a value is not told, its people are not to be found by subtraction either.
    untold = sorted(set(range(tree.n_values)) - set(told))
    above_untold = set(tree.levels[:, untold].ravel().tolist())
    hides = frozenset(node for node, old in enumerate(nodes.tolist()) if old in above_untold)
    hidden = len(untold)
    said = [f"{hidden:,} of {tree.n_values:,} values are not shown."] if hidden else []
    if column.ontology is None or column.means_itself:
        return Drawn(shown, counts, released, said=said, uncounted=hides)
    gsl = Gsl(shown, column.ontology, column.meanings[nodes], measure)
    found = Findings(tuple(worst_transitions(gsl, _MOST_WORST)), tuple(falls(gsl)), (), (), ())
    judged = drawn_of(gsl, found, counts)
    whole = Gsl(tree, column.ontology, column.meanings, measure)
    return Drawn(
        shown,
        counts,
        released,
        judged.marks,
        whole.levels.tolist(),
        [f"GSL of the whole hierarchy by {measure.name}: {whole.score:.4f}; lower is better.", *said],
        judged.found,
        hides,
    )


def way_up(changes: Changes, change: Change) -> str:
    """The labels from a value up to what it became, as its hierarchy has them; empty if it has none."""
    column = changes.column
    if not isinstance(column, GeneralizedColumn) or change.before not in changes.before_texts:
        return ""
    texts = changes.after_texts
    path = [texts[r] for r in column.attribute.levels[:, changes.before_texts.index(change.before)].tolist()]
    steps = list(dict.fromkeys(path))
    return " → ".join(steps[: steps.index(change.after) + 1]) if change.after in steps else ""
