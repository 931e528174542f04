"""Step Hierarchies: the tree over the values of each masked column, and what is written for a group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from starlette.datastructures import QueryParams

from ontomask.assessment.comparison import why_not
from ontomask.columns.looking import use_of_tree
from ontomask.errors import OntomaskError
from ontomask.hierarchies import Hierarchy
from ontomask.hierarchies.edited import is_edited_here
from ontomask.hierarchies.findings import Transition, measured_in_words, score_in_words
from ontomask.hierarchies.improve import destinations
from ontomask.hierarchies.outline import MOST, outline, way_to
from ontomask.methods import METHODS
from ontomask.plan import Plan
from ontomask.web.page import Page, short_name
from ontomask.web.tree_edits import ACTIONS, BANDED, address, named_file, why_not_edited
from ontomask.web.trees import MOST_PROPOSED, Seen, Trees
from ontomask.web.work import PlanText, Work

_MOST_CHOICES = 200  # of a list in which one still finds something
_MOST_FOUND = 20


def show(work: Work, plan: PlanText, asked: QueryParams) -> dict[str, Any]:
    """The column that is asked for, its tree, and what can be done with it."""
    names = plan.plan.with_role("quasi-identifier") if plan.plan else ()
    column = asked["column"] if asked.get("column") in names else _first(plan.plan, names)
    shown: dict[str, Any] = {
        "names": names,
        "is_to_choose": plan.plan is not None and is_to_choose(plan.plan),
        "column": column,
        "address": address,
        "short_name": short_name,
        "seen": None,
        "job": None,
    }
    if plan.plan is None or not names:
        return shown
    trees = Trees.of(work)
    shown["job"] = trees.looked_at(work, plan.plan, names)
    known = {name: trees.known(work, plan.plan, name) for name in names}
    shown["counts"] = {name: _n_open(trees, plan.plan, name, one) for name, one in known.items()}
    found = known[column]
    shown["faults_of_column"] = found if isinstance(found, tuple) else ()
    shown["file"] = file = named_file(plan.plan, column)
    shown["is_edited"] = file is not None and is_edited_here(file)
    if isinstance(found, Seen):
        shown |= {"seen": found} | _of_column(work, plan.plan, column, found, trees)
        is_asked = any(asked.get(key) for key in ("at", "move", "find", "from"))
        shown["is_open"] = is_asked or shown["can_undo"] or shown["n_refused"]
        shown["n_truthful"] = sum(map(plan.plan.is_truthful, names))
        if found.look.tree is not None:
            shown |= _of_tree(found, asked)
        shown["counts"][column] = _n_open(trees, plan.plan, column, found)
    return shown


def _first(plan: Plan | None, names: Sequence[str]) -> str:
    """The column that is shown if none is asked for: one of words, whose tree says most."""
    words = [name for name in names if plan and plan.attributes[name].kind == "nominal"]
    return next(iter([*words, *names]), "")


def _of_column(work: Work, plan: Plan, column: str, seen: Seen, trees: Trees) -> dict[str, Any]:
    """What is written for a group, what the tree is used for, and what is proposed."""
    settings, method, example = plan.attributes[column], plan.method.own, seen.look.example
    use = use_of_tree(plan, column)
    by_tree = seen.look.tree is not None and (use == "climbed" or settings.hierarchy is not None)
    climbing, refusal = _climbing(plan, column)
    offered, searching = ([], None) if seen.look.tree is None else trees.proposals(work, column, seen)
    return {
        "release": "truthful" if plan.is_truthful(column) else "central",
        "may_be_central": not method.is_truthful,
        "may_be_truthful": method.gives_k,
        "example": example,
        "truthful": seen.tree.cover(example.values) if example and by_tree else example and example.truthful,
        "use": use,
        "kind": settings.kind,
        "is_flat": settings.ontology == "flat",
        "climbing": climbing,
        "refusal": refusal,
        "why_not": why_not_edited(plan, seen),
        "has_bands": plan.attributes[column].kind in BANDED,
        "are_bands": settings.hierarchy is not None,
        "proposals": offered,
        "searching": searching,
        "most_proposed": MOST_PROPOSED,
        "n_refused": len(trees.refused.get(column, ())),
        "can_undo": bool(trees.before.get(column)),
    }


def _climbing(plan: Plan, column: str) -> tuple[list[str], str]:
    """The methods that would use the tree of a column with this plan, and why others cannot be had."""
    refused = {name: why_not(plan, name) for name, kind in METHODS.items() if kind.has_hierarchies}
    possible = [name for name, error in refused.items() if error is None]
    reasons = [error.faults[0].text for error in refused.values() if error]
    return [name for name in possible if use_of_tree(plan.with_method(name), column)], "".join(reasons[:1])


def _of_tree(seen: Seen, asked: QueryParams) -> dict[str, Any]:
    """The part of the tree that is looked at, its levels, and what is worth a look."""
    tree, gsl = seen.tree, seen.gsl
    moving, around, done = (
        seen.label(asked[key]) if asked.get(key) else None for key in ("move", "at", "done")
    )
    at = tree.root if around is None else tree.node(around)
    if not tree.children[at] and tree.parents[at] >= 0:
        at = int(tree.parents[at])
    start = int(asked["from"][:9]) if asked.get("from", "").isdecimal() else 0
    return {
        "tree": tree,
        "branch": outline(tree, seen.rows, at, start=start, by_rows=seen.look.is_editable),
        "way": way_to(tree, at),
        "at": tree.labels[at],
        "most": MOST,
        "start": start,
        "drawn": seen.drawn,
        "n_rows": max(int(seen.rows[tree.root]), 1),
        "levels": seen.levels,
        "score": None if gsl is None else gsl.score,
        "losses": () if gsl is None else gsl.levels.tolist(),
        "in_words": "" if gsl is None else score_in_words(gsl),
        "measured": "" if gsl is None else measured_in_words(gsl),
        "findings": seen.findings,
        "worst": _by_label(seen),
        "find": asked.get("find", ""),
        "found": _found(seen, asked.get("find", "")),
        "done": done,
        "now_below": "" if done is None or done == tree.labels[tree.root] else _above(tree, done),
        "moving": moving,
        "is_value": moving is not None and tree.node(moving) < tree.n_values,
        "choices": [] if moving is None else _choices(seen, moving, asked.get("below", "")),
        "below": asked.get("below", ""),
        "most_choices": _MOST_CHOICES,
    }


def _by_label(seen: Seen) -> dict[str, list[Transition]]:
    """What loses most, label by label, the worst first."""
    found: dict[str, list[Transition]] = {}
    for one in seen.findings.worst if seen.findings else ():
        found.setdefault(one.label, []).append(one)
    return found


def _found(seen: Seen, text: str) -> list[int]:
    """The labels that a text is part of, those with most rows first."""
    wanted = text.strip().casefold()
    if not wanted:
        return []
    found = [node for node, label in enumerate(seen.tree.labels) if wanted in label.casefold()]
    return sorted(found, key=lambda node: -int(seen.rows[node]))[:_MOST_FOUND]


def _choices(seen: Seen, label: str, text: str) -> list[str]:
    """The labels that one may be moved below, by name; of many, those that a text is part of."""
    tree, wanted = seen.tree, text.strip().casefold()
    labels = [tree.labels[to] for to in destinations(tree, tree.node(label))]
    here = "" if tree.node(label) == tree.root else _above(tree, label)
    return sorted(one for one in labels if wanted in one.casefold() and one != here)


def _above(tree: Hierarchy, label: str) -> str:
    """The label right above one."""
    return tree.labels[int(tree.parents[tree.node(label)])]


def _n_open(trees: Trees, plan: Plan, name: str, seen: Any) -> int:
    """How many proposals nobody answered, where the tree is used."""
    if not isinstance(seen, Seen) or not use_of_tree(plan, name) or why_not_edited(plan, seen):
        return 0
    return len(trees.open_proposals(name, seen))


def n_open(work: Work, plan: PlanText) -> int:
    """Whether central or truthful is to be decided, and the proposals that nobody answered, as far as trees
    were looked at and are used."""
    trees: Trees | None = work.remembered.get("hierarchies")
    if plan.plan is None:
        return 0
    names = plan.plan.with_role("quasi-identifier")
    to_choose = int(bool(names) and is_to_choose(plan.plan))
    if trees is None:
        return to_choose
    try:
        return to_choose + sum(
            _n_open(trees, plan.plan, name, trees.known(work, plan.plan, name)) for name in names
        )
    except OntomaskError:
        return to_choose


def is_to_choose(plan: Plan) -> bool:
    """Whether nobody said if what is written is to be true of everybody, and the method leaves the choice."""
    method = plan.method.own
    said = [plan.release, *(plan.attributes[name].release for name in plan.with_role("quasi-identifier"))]
    return method.gives_k and not method.is_truthful and not any(said)


PAGE = Page("hierarchies", "Hierarchies", show, ACTIONS, n_open)
