"""A decision of a person written into the text of a plan: what a column is, and what follows from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ontomask.plan import AttributePlan, Plan
from ontomask.plan.attribute import ReleaseKind
from ontomask.plan.editing import with_key
from ontomask.plan.faults import Faults
from ontomask.profile import TableProfile
from ontomask.profile.guess import Role


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
            text = with_settings(text, plan, name, settings)
    if after.get("together") != before.get("together"):
        text = with_key(text, ["together"], after.get("together"))
    return text


def with_kind(
    text: str, plan: Plan, column: str, kind: str, ontology: str = "", order: Sequence[str] = ()
) -> str:
    """The text of a plan in which a column is of another kind, or its words mean what another ontology says.

    What was said of it as another kind goes. An empty `ontology` is what a plan takes if it names none.

    >>> text = "attributes:\\n  pay: {role: confidential, kind: numeric, decimal: ','}  # which?"
    >>> print(with_kind(text, Plan.from_yaml(text), "pay", "ordinal", order=["low", "high"]))
    attributes:
      pay: {role: confidential, kind: ordinal, order: [low, high]}  # which?
    """
    has = plan.attributes[column].as_dict(only_given=True)
    said = {"kind": kind, "ontology": ontology or None, "order": list(order) or None}
    if kind != plan.attributes[column].kind:
        given = {"role": has.get("role"), **said}
        return with_key(
            text, ["attributes", column], {key: value for key, value in given.items() if value is not None}
        )
    for key in ("ontology", "order"):
        if said[key] != has.get(key):
            text = with_key(text, ["attributes", column, key], said[key])
    return text


def with_settings(text: str, plan: Plan, column: str, settings: Mapping[str, Any]) -> str:
    """The text of a plan in which a column has these settings, beside those it has if all go together."""
    has = plan.attributes[column].as_dict(only_given=True) if column in plan.attributes else {}
    both = dict(settings) | {key: value for key, value in has.items() if key != "role"}
    faults = Faults()
    AttributePlan.read(both, ("attributes", column), faults)
    if not has or len(faults):
        return with_key(text, ["attributes", column], dict(settings))
    for key, value in settings.items():
        if key == "role" or key not in has:
            text = with_key(text, ["attributes", column, key], value)
    return text


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
