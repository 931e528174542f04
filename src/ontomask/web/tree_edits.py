"""What can be done on the page Hierarchies: each edit goes to the file of the tree, and the plan names it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlencode

from ontomask.errors import OntomaskError
from ontomask.files import remove
from ontomask.hierarchies.edited import as_edited, file_to_edit
from ontomask.hierarchies.formats.nested import refusal
from ontomask.hierarchies.hierarchy import EVERYTHING
from ontomask.hierarchies.improve import Insert, Move, Rename
from ontomask.hierarchies.outline import outline
from ontomask.ontology.formats.nested import NO_CONCEPT
from ontomask.plan import Plan
from ontomask.plan.attribute import ReleaseKind
from ontomask.plan.editing import with_key
from ontomask.printable import shortened
from ontomask.profile.deciding import with_hierarchy, with_release
from ontomask.tables.options import digest_of_file
from ontomask.web.page import Form, short_name
from ontomask.web.trees import Before, Seen, Trees, question_of
from ontomask.web.work import PlanText, Work

BANDED = ("numeric", "date")
"""Kinds of columns whose trees are ranges that follow from their values."""


def apply(work: Work, form: Form) -> str:
    """Make an edit that was proposed."""
    plan, seen = _seen(work, form)
    offered = {str(one.edit): one.edit for one in Trees.of(work).open_proposals(form["column"], seen)}
    if form["edit"] not in offered:
        raise OntomaskError(
            "this is not proposed any more", value=form["edit"], remedy="the tree was changed; look again"
        )
    return _edited(work, plan, form["column"], seen, seen.with_edit(offered[form["edit"]]), "proposals")


def refuse(work: Work, form: Form) -> str:
    """Do not propose an edit again in this session; without one, propose all again."""
    refused = Trees.of(work).refused.setdefault(form["column"], set())
    if form["edit"]:
        refused.add(form["edit"])
    else:
        refused.clear()
    return address(form["column"], part="proposals")


def move(work: Work, form: Form) -> str:
    """Put a label below another one."""
    plan, seen = _seen(work, form)
    tree, label, to = seen.tree, _label(seen, form["label"]), _label(seen, form["to"])
    above = int(tree.parents[tree.node(label)])
    if above < 0:
        raise OntomaskError(f"{label!r} stands above all others and cannot be moved", value=label)
    changed = seen.with_edit(Move(label, tree.labels[above], to))
    at = _around(seen.label(form["at"]), changed, label, to)
    return _edited(work, plan, form["column"], seen, changed, "tree", at=at, done=label)


def insert(work: Work, form: Form) -> str:
    """Put a label of one's own above a value or a label."""
    plan, seen = _seen(work, form)
    label, new = _label(seen, form["label"]), _new_label(seen, form["new"])
    if seen.tree.node(label) == seen.tree.root:
        raise OntomaskError(f"{label!r} stands above all others, and nothing above it", value=label)
    changed = seen.with_edit(Insert(label, new))
    at = _around(seen.label(form["at"]), changed, new, new)
    return _edited(work, plan, form["column"], seen, changed, "tree", at=at, done=new)


def rename(work: Work, form: Form) -> str:
    """Call a label otherwise; a value is called as it is in the table."""
    plan, seen = _seen(work, form)
    label, new = _label(seen, form["label"]), _new_label(seen, form["new"])
    if seen.tree.node(label) < seen.tree.n_values:
        raise OntomaskError(f"{label!r} is a value of the table, and keeps its name", value=label)
    if label == EVERYTHING:
        raise OntomaskError(f"{label!r} stands for anything, and keeps its name", value=label)
    changed = seen.with_edit(Rename(label, new, NO_CONCEPT))
    at = _around(seen.label(form["at"]), changed, new, new)
    return _edited(work, plan, form["column"], seen, changed, "tree", at=at, done=new)


def keep(work: Work, form: Form) -> str:
    """Write the tree as it is, so that the plan uses it."""
    plan, seen = _seen(work, form)
    return _edited(work, plan, form["column"], seen, seen, "tree")


def bands(work: Work, form: Form) -> str:
    """Let the ranges that are written be those of the tree; or of each group its own, as they usually are."""
    plan, column = work.plan(), form["column"]
    if plan.plan is None or column not in plan.plan.with_role("quasi-identifier"):
        raise OntomaskError(f"there is no masked column {column!r}", value=column)
    if plan.plan.attributes[column].kind not in BANDED:
        raise OntomaskError("its tree is kept as a file", column=column, value=form["bands"])
    path = ["attributes", column, "hierarchy"]
    bands: dict[str, dict[str, str]] = {"fixed": {}, "frequency": {"by": "frequency"}}
    text = with_key(plan.text, path, bands.get(form["bands"]))
    _checked(work, text)
    work.write_plan(text)
    return address(column, part="tree")


def undo(work: Work, form: Form) -> str:
    """Take the last edit back: the file and what the plan says of it are as they were.

    What the plan says otherwise since then, such as another ontology, is left as it is.
    """
    plan, column, trees = work.plan(), form["column"], Trees.of(work)
    steps = trees.before.get(column)
    if plan.plan is None or column not in plan.plan.attributes or not steps:
        raise OntomaskError("there is nothing to be undone")
    last = steps[-1]
    said = _said_of_tree(plan.plan, column)
    if said["hierarchy"] != last.given["hierarchy"]:
        raise OntomaskError(f"the plan does not name {last.file.name} any more, so this cannot be undone")
    if not last.file.is_file() or digest_of_file(last.file) != last.written:
        raise OntomaskError(
            f"{last.file.name} was changed elsewhere meanwhile, so this cannot be undone",
            remedy="look at the file, or build the tree anew",
        )
    text = plan.text
    for key, value in last.said.items():
        if said[key] == last.given[key] != value:
            text = with_key(text, ["attributes", column, key], value)
    changed = _checked(work, text)
    if last.content is None:
        work.write_plan(text)
        remove(last.file)
    else:
        work.write({last.file: last.content, work.plan_file: text})
    steps.pop()
    if question_of(work, changed, column).but(last.file) == last.question.but(last.file):
        trees.keep(work, changed, column, last.seen)
    return address(column, part="tree")


def anew(work: Work, form: Form) -> str:
    """Let the tree be built again: the plan does not name the file any more, which stays where it is."""
    plan, column = work.plan(), form["column"]
    file = None if plan.plan is None else named_file(plan.plan, column)
    if plan.plan is None or file is None:
        raise OntomaskError("the plan names no tree for this column", value=column)
    text = with_key(plan.text, ["attributes", column, "hierarchy"], None)
    _checked(work, text)
    work.write_plan(text)
    Trees.of(work).before.pop(column, None)
    return address(column, part="tree")


def release(work: Work, form: Form) -> str:
    """Choose between what is central to a group and what is true of it."""
    plan, column, kind = work.plan(), form["column"], _kind(form)
    if plan.plan is None or column not in plan.plan.attributes:
        raise OntomaskError(f"there is no column {column!r} to be released so", value=column)
    _released_as(work, plan.plan, with_release(plan.text, plan.plan, column, kind), [column])
    return address(column)


def release_all(work: Work, form: Form) -> str:
    """Choose for all columns: the plan says it once, and of no column by itself."""
    plan, kind = work.plan(), _kind(form)
    if plan.plan is None:
        raise OntomaskError(*plan.faults)
    text = with_key(plan.text, ["release"], kind)
    of_all = plan.plan.replace(release=kind)
    for column, settings in plan.plan.attributes.items():
        if settings.release is not None:
            text = with_release(text, of_all, column, kind)
    _released_as(work, plan.plan, text, plan.plan.with_role("quasi-identifier"))
    return address(form["column"])


def again(work: Work, form: Form) -> str:
    """Look at the columns again."""
    work.forget("hierarchies")
    return address(form["column"])


def search(work: Work, form: Form) -> str:
    """Look for proposals again."""
    work.forget("proposals")
    return address(form["column"], part="proposals")


def address(column: str, part: str = "", *, at: str = "", move: str = "", done: str = "", **more: int) -> str:
    """The page of a column, with its tree at a label, and with one that is to be edited, or was."""
    named = {"at": at, "move": move, "done": done}
    labels = {key: short_name(label) for key, label in named.items() if label}
    return f"/hierarchies?{urlencode({'column': column} | labels | more)}{'#' if part else ''}{part}"


def named_file(plan: Plan, column: str) -> Path | None:
    """The one file that the plan names for the tree of a column."""
    asked = plan.attributes[column].hierarchy
    return plan.path_of(asked.files[0]) if asked and asked.files and len(asked.files) == 1 else None


def why_not_edited(plan: Plan, seen: Seen) -> str:
    """Why the tree cannot be edited now; empty if it can."""
    if not seen.look.is_editable:
        return "its labels follow from its values"
    if seen.look.unlinked and plan.unmapped == "error":
        return f"{len(seen.look.unlinked):,} of its values have no meaning yet"
    return ""


# ---------------------------------------------------------------------- how a choice, and an edit, is written


def _kind(form: Form) -> ReleaseKind:
    if form["release"] not in ("central", "truthful"):
        raise OntomaskError("a column is released as central or truthful", value=form["release"])
    return cast(ReleaseKind, form["release"])


def _released_as(work: Work, plan: Plan, text: str, columns: Sequence[str]) -> None:
    """Write a plan that releases some columns otherwise, and remember what was seen of them."""
    changed, trees = _checked(work, text), Trees.of(work)
    known = {column: trees.known(work, plan, column) for column in columns}
    work.write_plan(text)
    for column, seen in known.items():
        if isinstance(seen, Seen) and not seen.look.doubtful:  # these stand elsewhere where all must be true
            trees.keep(work, changed, column, seen)


def _seen(work: Work, form: Form) -> tuple[PlanText, Seen]:
    """The column that is spoken of, as it is now."""
    plan, column = work.plan(), form["column"]
    if plan.plan is None or column not in plan.plan.with_role("quasi-identifier"):
        raise OntomaskError(f"there is no masked column {column!r}", value=column)
    seen = Trees.of(work).known(work, plan.plan, column)
    if not isinstance(seen, Seen):
        raise OntomaskError(
            "the tree was changed elsewhere, or is still being read", remedy="look at the page again"
        )
    if why := why_not_edited(plan.plan, seen):
        raise OntomaskError(f"the tree cannot be edited: {why}", column=column)
    return plan, seen


def _label(seen: Seen, name: str) -> str:
    """The label of a short name."""
    label = seen.label(name)
    if label is None:
        raise OntomaskError("this label is not in the tree any more", remedy="look at the page again")
    return label


def _new_label(seen: Seen, text: str) -> str:
    """A name that a label may be given."""
    new = " ".join(text.split())
    if not new or not new.isprintable() or new == EVERYTHING:
        raise OntomaskError("a label needs a name", value=new, remedy="such as outdoor sport")
    if new in seen.tree.labels or new in seen.look.otherwise:
        raise OntomaskError(f"{new!r} is in the tree already", value=new, remedy="choose another name")
    if why := refusal(new):
        raise OntomaskError(f"a label cannot be called {shortened(new)!r}: {why}", value=shortened(new))
    return new


def _around(at: str | None, changed: Seen, label: str, otherwise: str) -> str:
    """The label around which the tree is shown after an edit: as before, if what was edited is seen there."""
    tree = changed.tree
    if at is None or at not in tree.labels:
        return otherwise
    branch = outline(tree, changed.rows, tree.node(at), by_rows=changed.look.is_editable)
    return at if branch.shows(tree.node(label)) else otherwise


def _edited(
    work: Work,
    plan: PlanText,
    column: str,
    seen: Seen,
    changed: Seen,
    part: str,
    at: str = "",
    done: str = "",
) -> str:
    """Write the changed tree and, if it is new, its name into the plan; both or none."""
    assert plan.plan is not None
    trees, named = Trees.of(work), named_file(plan.plan, column)
    file = file_to_edit(plan.plan.folder, column, named)
    content = file.read_bytes() if file.is_file() else None
    text = plan.text if file == named else with_hierarchy(plan.text, plan.plan, column, file.name)
    after = _checked(work, text)
    question, said = question_of(work, plan.plan, column), _said_of_tree(plan.plan, column)
    work.write({file: as_edited(changed.as_file()), work.plan_file: text})
    given = _said_of_tree(after, column)
    trees.can_be_undone(column, Before(said, question, seen, content, file, given, digest_of_file(file)))
    trees.keep(work, after, column, changed)
    return address(column, part, at=at, done=done)


def _said_of_tree(plan: Plan, column: str) -> dict[str, Any]:
    """What a plan says, as it is written, of what an edit changes; None where it says nothing."""
    said, file = plan.attributes[column].as_dict(only_given=True), named_file(plan, column)
    tree = said.get("hierarchy") if file is None else said["hierarchy"]["files"][0]
    return {"ontology": said.get("ontology"), "hierarchy": tree}


def _checked(work: Work, text: str) -> Plan:
    """The plan of a text; what is wrong with it, if it is none."""
    read = work.read(text)
    if read.plan is None:
        raise OntomaskError(*read.faults)
    return read.plan


ACTIONS: dict[str, Callable[[Work, Form], str]] = {
    "apply": apply,
    "refuse": refuse,
    "move": move,
    "insert": insert,
    "rename": rename,
    "keep": keep,
    "bands": bands,
    "undo": undo,
    "anew": anew,
    "release": release,
    "release_all": release_all,
    "again": again,
    "search": search,
}
