"""Decisions written into the text of a plan, one after the other: none leaves a plan with a fault."""

from __future__ import annotations

from itertools import permutations
from typing import Any, get_args

import pyarrow as pa
import pytest
import yaml

import ontomask as om
from ontomask.plan import Plan
from ontomask.profile.deciding import with_kind, with_role, with_settings
from ontomask.profile.guess import Role

SURVEY = pa.table(
    {
        "pid": [f"P{i // 2}" for i in range(60)],
        "happy": [str(i % 10 + 1) for i in range(60)],
        "income": [str(1000 + 37 * i) for i in range(60)],
        "faith": ["Catholic", "Protestant", "Muslim"] * 20,
        "born": [f"{i % 28 + 1:02}.03.19{i % 40 + 50}" for i in range(60)],
    }
)
ROLES = get_args(Role)


def said(text: str, column: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(text)["attributes"][column]
    return found


@pytest.mark.parametrize("kind", ["", "numeric", "nominal"])
@pytest.mark.parametrize("column", SURVEY.column_names)
def test_any_roles_after_each_other_give_a_plan(column: str, kind: str) -> None:
    profile = om.init(SURVEY)
    for roles in permutations(ROLES, 3):
        text = profile.to_yaml()
        if kind:
            text = with_kind(text, Plan.from_yaml(text), column, kind)
        for role in roles:
            text = with_role(text, profile, column, role)
            assert Plan.from_yaml(text).attributes[column].role == role
            assert not kind or said(text, column).get("kind", "nominal") == kind, "as somebody said"


@pytest.mark.parametrize("key", ["l", "t"])
def test_nothing_is_asked_of_a_column_that_is_confidential_no_more(key: str) -> None:
    profile = om.init(SURVEY)
    text = with_role(profile.to_yaml(), profile, "income", "confidential")
    text = with_role(text, profile, "happy", "confidential")
    asked = {"income": 3, "happy": 2} if key == "l" else {"income": 0.3, "happy": 0.2}
    text = text.replace("k: 5", f"k: 5, {key}: {{income: {asked['income']}, happy: {asked['happy']}}}")
    text = with_role(text, profile, "income", "quasi-identifier")
    assert yaml.safe_load(text)["privacy"][key] == {"happy": asked["happy"]}
    text = with_role(text, profile, "happy", "identifier")
    assert yaml.safe_load(text)["privacy"] == {"k": 5, "unit": "pid"}
    assert Plan.from_yaml(text).attributes["happy"].role == "identifier"


def test_what_tells_concepts_goes_with_their_ontology() -> None:
    text = "attributes: {job: {role: quasi-identifier, under: person, mapping: jobs.csv, weight: 2}}"
    plan = Plan.from_yaml(text)
    other = with_kind(text, plan, "job", "nominal", "occupations")
    assert said(other, "job") == {
        "role": "quasi-identifier",
        "weight": 2,
        "kind": "nominal",
        "ontology": "occupations",
    }
    same = with_kind(text, plan, "job", "nominal", "wordnet")
    assert said(same, "job")["under"] == "person", "which is what it means if nothing is named"


def test_what_is_chosen_counts_more_than_what_was_said_before() -> None:
    text = "attributes: {pay: {role: other, kind: numeric, decimal: ','}}"
    steps = {"role": "quasi-identifier", "kind": "ordinal", "order": ["1", "2"]}
    assert said(with_settings(text, "pay", steps), "pay")["kind"] == "numeric"
    assert said(with_settings(text, "pay", steps, is_chosen=True), "pay") == steps
