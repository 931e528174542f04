"""A decision of a person written into the text of a plan: what a column is, and what follows from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ontomask.plan import AttributePlan, Plan
from ontomask.plan.attribute import ReleaseKind
from ontomask.plan.editing import said_in, with_key
from ontomask.plan.faults import Faults
from ontomask.profile import TableProfile
from ontomask.profile.guess import Role

_TOLD_BY_ONTOLOGY = ("under", "mapping", "labels", "synonyms", "senses")  # which name its concepts


def with_role(text: str, profile: TableProfile, column: str, role: Role, folder: Path = Path()) -> str:
    """The text of a plan in `folder` with a role for a column, and with what a draft says for that role.

    What stands there already is kept where it goes with the role. Columns that followed from one which is no
    longer masked are undecided again.

    >>> import pyarrow as pa, ontomask as om
    >>> profile = om.init(pa.table({"job": ["nurse", "teacher", "nurse"], "pay": ["low", "high", "low"]}))
    >>> text = "attributes:\\n  pay: {role: undecided}  # which?\\n  job: {role: other}"
    >>> print(with_role(text, profile, "pay", "confidential"))
    attributes:
      pay: {role: confidential, kind: ordinal, order: [low, high]}  # which?
      job: {role: other}
    """
    plan = Plan.from_yaml(text, folder=folder)
    names = {one.name: one.written_role for one in profile.columns}
    given: dict[str, Any] = {
        name: said.role
        for name, said in plan.attributes.items()
        if name in names and said.role not in ("undecided", "pseudonym", names[name])
    }
    before = profile.decide(given).settings(folder)
    after = profile.decide(given | {column: role}).settings(folder)
    for name, settings in after["attributes"].items():
        if name == column or settings != before["attributes"][name]:
            text = with_settings(text, name, settings)
    text = _without_requirements_on(text, plan, column, role)
    return _with_groups(text, plan, column, role, before.get("together", []), after.get("together", []))


def _without_requirements_on(text: str, plan: Plan, column: str, role: Role) -> str:
    """The text without what is asked of a column that has another role: l of one that is masked, say."""
    if role == "quasi-identifier" and plan.privacy.unit == column:
        text = with_key(text, ["privacy", "unit"], None)
    for key, asked in (said_in(text, ["privacy"]) or {}).items():
        if role != "confidential" and isinstance(asked, Mapping) and column in asked:
            path = ["privacy", key] if len(asked) == 1 else ["privacy", key, column]
            text = with_key(text, path, None)
    return text


def _with_groups(
    text: str, plan: Plan, column: str, role: Role, before: list[list[str]], after: list[list[str]]
) -> str:
    """The text with those groups of columns that say the same which still do; others stay as they are."""
    groups = [list(group) for group in plan.together or ()]
    gone = [group for group in before if group not in after]
    if role != "quasi-identifier":
        gone += [group for group in groups if group[0] == column]
    kept = [group for group in groups if group not in gone]
    kept += [group for group in after if group not in before and group not in kept]
    if kept == groups:
        return text
    for group in groups:
        for name in group[1:] if group not in kept else ():
            if name != column and plan.attributes[name].role == "other":
                text = with_key(text, ["attributes", name, "role"], "undecided")
    return with_key(text, ["together"], kept or None)


def with_kind(
    text: str, plan: Plan, column: str, kind: str, ontology: str = "", order: Sequence[str] = ()
) -> str:
    """The text of a plan in which a column is of another kind, or its words mean what another ontology says.

    What was said of it stays where it goes with that. An empty `ontology` is what a plan takes if it names
    none.

    >>> text = "attributes:\\n  pay: {role: quasi-identifier, kind: numeric, decimal: ',', weight: 2}"
    >>> print(with_kind(text, Plan.from_yaml(text), "pay", "ordinal", order=["low", "high"]))
    attributes:
      pay: {role: quasi-identifier, kind: ordinal, weight: 2, order: [low, high]}
    """
    has = plan.attributes[column].as_dict(only_given=True)
    said = {"kind": kind, "ontology": ontology or None, "order": list(order) or None}
    wanted = {key: value for key, value in said.items() if value is not None}
    wanted["role"] = has.get("role", plan.attributes[column].role)
    is_of_another = (said["ontology"] or "wordnet") != has.get("ontology", "wordnet")
    for key, value in has.items():
        is_told_by_it = key in _TOLD_BY_ONTOLOGY and is_of_another
        if key not in said and not is_told_by_it and _fits(wanted | {key: value}, column):
            wanted[key] = value
    for key in [key for key in has if key not in wanted]:
        text = with_key(text, ["attributes", column, key], None)
    for key, value in wanted.items():
        if value != has.get(key):
            text = with_key(text, ["attributes", column, key], value)
    return text


def with_settings(text: str, column: str, settings: Mapping[str, Any], *, is_chosen: bool = False) -> str:
    """The text of a plan in which a column has these settings, and those it has that go with them.

    What somebody said of its kind counts more than what is proposed, unless just that is chosen now. It may
    stand in the text though the plan has no use for it now: of a column that is not masked, say.

    >>> text = "attributes:\\n  pay: {role: other, kind: numeric}  # as typed\\n"
    >>> print(with_settings(text, "pay", {"role": "confidential", "ontology": "flat"}))
    attributes:
      pay: {role: confidential, kind: numeric}  # as typed
    """
    has = said_in(text, ["attributes", column]) or {}
    own = {key: value for key, value in has.items() if key != "role"}
    parts = (own, settings) if "kind" in own and not is_chosen else (settings, own)
    wanted = {"role": settings["role"]}
    for part in parts:
        further = {key: value for key, value in part.items() if key not in wanted}
        if _fits(wanted | further, column):
            wanted |= further
        else:
            for key, value in further.items():
                wanted |= {key: value} if _fits(wanted | {key: value}, column) else {}
    if not has:
        return with_key(text, ["attributes", column], wanted)
    for key in [key for key in has if key not in wanted]:
        text = with_key(text, ["attributes", column, key], None)
    for key in [key for key in (*has, *settings) if key in wanted and wanted[key] != has.get(key)]:
        text = with_key(text, ["attributes", column, key], wanted[key])
    return text


def _fits(settings: Mapping[str, Any], column: str) -> bool:
    faults = Faults()
    AttributePlan.read(dict(settings), ("attributes", column), faults)
    return not len(faults)


def with_hierarchy(text: str, plan: Plan, column: str, file: str) -> str:
    """The text of a plan in which a column has the hierarchy of a file, and means what it meant.

    Words with neither ontology nor file are those of WordNet; with a file alone they would mean that.

    >>> text = "attributes:\\n  job: {role: quasi-identifier}  # as typed\\n"
    >>> print(with_hierarchy(text, Plan.from_yaml(text), "job", "job.yaml"))
    attributes:
      job: {role: quasi-identifier, ontology: wordnet, hierarchy: job.yaml}  # as typed
    """
    settings = plan.attributes[column]
    if settings.kind == "nominal" and settings.ontology is None and not settings.means_itself:
        text = with_key(text, ["attributes", column, "ontology"], "wordnet")
    return with_key(text, ["attributes", column, "hierarchy"], file)


def with_release(text: str, plan: Plan, column: str, kind: ReleaseKind) -> str:
    """The text of a plan in which a column is released as what is central to a group, or true of it.

    >>> text = "attributes:\\n  job: {role: quasi-identifier}\\n"
    >>> print(with_release(text, Plan.from_yaml(text), "job", "truthful"))
    attributes:
      job: {role: quasi-identifier, release: truthful}
    """
    is_usual = kind == (plan.release or "central")
    return with_key(text, ["attributes", column, "release"], None if is_usual else kind)
