"""Decision trees of a table before and after masking, in words: which attributes are left, which rules.

Loh 2012, sections 4.4 to 4.6. The trees are those whose accuracy `evaluate` measures, grown from all records.
They show values of the original table, so they are for those who have it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ontomask.assessment.evaluate import Both
from ontomask.evaluation import DecisionTree, Learned, TreeOptions
from ontomask.masking import combine_of
from ontomask.pipeline import prepare
from ontomask.plan import Plan, as_plan
from ontomask.tables import open_table

MISSING = "(none)"


@dataclass(frozen=True)
class Trees:
    """Trees before and after masking.

    Attributes
    ----------
    attributes
        All that were masked.
    before, after
        Those that the trees split by.
    left
        Those whose values the release still tells apart: they are not all at their root.
    original, masked
        The trees, line by line.
    rules_original, rules_masked
        What leads to each leaf, and its class.
    """

    attributes: list[str]
    before: list[str]
    after: list[str]
    left: list[str]
    original: str
    masked: str
    rules_original: list[str]
    rules_masked: list[str]

    def as_dict(self) -> dict[str, Any]:
        """For machines; the attributes are among the figures already."""
        rules = {name: value for name, value in asdict(self).items() if name.startswith("rules")}
        return {"attributes": self.attributes, **rules}


def compare_trees(
    original: Any,
    masked: Any,
    plan: Plan | Mapping[str, Any] | str | Path,
    target: str,
    *,
    key: str | None = None,
    options: TreeOptions | None = None,
) -> Trees:
    """The trees that predict `target` from the quasi-identifiers of both tables; see `evaluate`.

    >>> import pyarrow as pa
    >>> before = pa.table({"pet": ["dog", "cat", "cow", "ewe"] * 5, "ill": ["no", "no", "yes", "yes"] * 5})
    >>> after = before.set_column(0, "pet", [["carnivore", "carnivore", "bovid", "bovid"] * 5])
    >>> print(compare_trees(before, after, Plan.from_options(["pet:wordnet"], k=2), "ill").masked)
    pet = bovid: yes (no=0, yes=10)
    pet = carnivore: no (no=10, yes=0)
    """
    asked = as_plan(plan).replace(others="keep")  # nothing is released here
    both = Both(prepare(original, asked), open_table(masked, asked.table_options().of_others), key)
    view, _ = both.view(combine_of(asked), None)
    predicted = both.target(target, view)
    learned = Learned.of_target(view, predicted)
    columns = both.prepared.columns
    first, second = learned.tree(learned.original, options), learned.tree(learned.masked, options)
    labels = [column.labels for column in columns]
    before = [[_said(labels[j][v]) for v in one.values] for j, one in enumerate(learned.original)]
    texts = [both.texts_of_replacements(j) for j in range(len(columns))]
    after = [[_said(texts[j][int(v)]) for v in one.values] for j, one in enumerate(learned.masked)]
    of_class = [_said(predicted.texts[c]) for c in learned.classes.tolist()]
    return Trees(
        [column.name for column in columns],
        _used(first),
        _used(second),
        learned.left,
        first.text(before, of_class),
        second.text(after, of_class),
        first.rules(before, of_class),
        second.rules(after, of_class),
    )


def _used(tree: DecisionTree) -> list[str]:
    return [tree.features[j].name for j in tree.used]


def _said(text: str | None) -> str:
    return MISSING if text is None else text
