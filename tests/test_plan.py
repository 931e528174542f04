"""A plan: its defaults, its round trip, and a message with line and key for everything that can be wrong."""

from __future__ import annotations

import json
import os
import pickle
import re
import time
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from ontomask.arrays import Float64
from ontomask.errors import Fault, OntomaskError, PlanError
from ontomask.methods import METHODS
from ontomask.methods.recoding import Recoding
from ontomask.plan import AttributePlan, MethodPlan, Plan, Privacy, TableSettings, versions
from ontomask.plan.editing import with_key
from ontomask.privacy import REQUIREMENTS, Classes, KAnonymity, Requirement

FULL = """\
table: {separator: ";", encoding: utf-8, na_values: ["", "NA", "?"]}
attributes:
  name:           {role: identifier}
  occupation:     {role: quasi-identifier, kind: nominal, ontology: wordnet, under: person, mapping: occupation.csv, weight: 1.0}
  native-country: {role: quasi-identifier, kind: nominal, ontology: wordnet}
  age:            {role: quasi-identifier, kind: numeric}
  salary-class:   {role: confidential}
privacy: {k: 5}
method: {name: sa-mdav, measure: logsc, weighted: true}
missing: own-class        # own-class | suppress-row | error
unmapped: error           # error | root | own-leaf | suppress
seed: 7
"""  # noqa: E501


def message_of(text: str, name: str = "plan.yaml") -> str:
    with pytest.raises(PlanError) as caught:
        Plan.from_yaml(text, name=name)
    return str(caught.value)


# ------------------------------------------------------------------------------ what is read


def test_the_documented_plan_is_read_as_written() -> None:
    plan = Plan.from_yaml(FULL)
    assert plan.table == TableSettings(separator=";", encoding="utf-8", na_values=("", "NA", "?"))
    assert list(plan.attributes) == ["name", "occupation", "native-country", "age", "salary-class"]
    assert plan.attributes["occupation"] == AttributePlan(
        role="quasi-identifier", ontology="wordnet", under="person", mapping="occupation.csv"
    )
    assert plan.with_role("quasi-identifier") == ("occupation", "native-country", "age")
    assert plan.with_role("identifier") == ("name",)
    assert (plan.privacy.k, plan.method.weighted, plan.seed) == (5, True, 7)


def test_everything_has_a_default() -> None:
    plan = Plan()
    assert (plan.privacy.k, plan.method.name, plan.method.measure) == (5, "sa-mdav", "logsc")
    assert (plan.missing, plan.unmapped, plan.seed) == ("own-class", "error", 0)
    assert plan.table.na_values == ("", "NA", "?")
    assert plan.attributes == {}
    with pytest.raises(PlanError, match="no column has role: quasi-identifier"):
        plan.check_runnable()


def test_scalars_stay_text_where_text_is_wanted() -> None:
    plan = Plan.from_yaml(
        "table: {na_values: [no, 1.0, 010, ~, null, 2024-01-01, 'x', true, 1e3]}\n"
        "attributes:\n  no: {role: identifier}\n  1: {role: confidential}\n  ~: {role: identifier}\n"
        "  level: {role: quasi-identifier, kind: ordinal, order: [off, 1, 2.50]}\n"
    )
    assert plan.table.na_values == ("", "no", "1.0", "010", "~", "null", "2024-01-01", "x", "true", "1e3")
    assert list(plan.attributes) == ["no", "1", "~", "level"]
    assert plan.attributes["level"].order == ("off", "1", "2.50")
    assert {type(value) for value in plan.table.na_values} == {str}


@pytest.mark.parametrize(
    ("written", "truth"), [("true", True), ("yes", True), ("On", True), ("false", False), ("no", False)]
)
def test_truth_as_yaml_spells_it(written: str, truth: bool) -> None:
    assert Plan.from_yaml(f"method: {{weighted: {written}}}").method.weighted is truth


def test_a_key_without_a_value_is_not_given() -> None:
    text = "table:\nattributes:\n  id:\nprivacy: {k: }\nmethod: {weighted: ~}\nseed:\n"
    plan = Plan.from_yaml(text)
    assert plan == Plan(attributes={"id": AttributePlan()})


@pytest.mark.parametrize("written", [r"'\t'", r'"\t"', r"\t", "tab"])
def test_tab_as_separator(written: str) -> None:
    assert Plan.from_yaml(f"table: {{separator: {written}}}").table.separator == "\t"


def test_aliases_spare_repetition() -> None:
    plan = Plan.from_yaml(
        "attributes: {age: &number {role: quasi-identifier, kind: numeric}, bmi: *number}\n"
    )
    assert plan.attributes["bmi"] == plan.attributes["age"]
    assert plan.attributes["bmi"].kind == "numeric"


def test_json_and_byte_order_mark_and_line_ends_do_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + FULL.replace("\n", "\r\n").encode())
    assert Plan.load(path) == Plan.from_yaml(FULL)
    assert Plan.from_yaml(json.dumps(yaml.safe_load(FULL), indent=2)) == Plan.from_yaml(FULL)


def test_a_plan_is_frozen() -> None:
    with pytest.raises(AttributeError):
        Plan().privacy.k = 1  # type: ignore[misc]
    with pytest.raises(AttributeError, match="seed"):
        Plan().seed = 1  # type: ignore[misc]


# ------------------------------------------------------------------------------ what is wrong


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "attributes:\n\n  # a comment\n  occupation: {rol: quasi-identifier}",
            "plan.yaml, line 4: attributes.occupation.rol: unknown key; did you mean 'role'?",
        ),
        (
            "colour: red",
            "plan.yaml, line 1: colour: unknown key; known are version, table, attributes, privacy, method, "
            "release, together, others, missing, unmapped, seed, shuffle, accept, accepted_for, "
            "sign_off",
        ),
        (
            "privacy:\n  k: 0",
            "plan.yaml, line 2: privacy.k: must be 1 or more (2 or more to protect anybody), not 0",
        ),
        (
            "accept: [rare]\nsign_off:\n  reasons: {rare values: known}",
            "plan.yaml, line 2: sign_off: reasons: 'rare values' is not in `accept`; accept it, or remove "
            "the reason",
        ),
        ("privacy: {k: five}", "plan.yaml, line 1: privacy.k: must be a whole number, not 'five'"),
        ("privacy: {k: 2.5}", "plan.yaml, line 1: privacy.k: must be a whole number, not 2.5"),
        ("privacy: {k: true}", "plan.yaml, line 1: privacy.k: must be a whole number, not True"),
        ("privacy: {k: '5'}", "plan.yaml, line 1: privacy.k: must be a whole number, not '5'"),
        (
            "privacy: 5",
            "plan.yaml, line 1: privacy: must hold settings (`key: value`), not 5",
        ),
        (
            "attributes: [age, sex]",
            "plan.yaml, line 1: attributes: must hold settings (`key: value`), not ['age', 'sex']",
        ),
        (
            "seed: 7\nmissing: own_class",
            "plan.yaml, line 2: missing: must be own-class, suppress-row or error, not 'own_class'; "
            "did you mean 'own-class'?",
        ),
        ("unmapped: no", "plan.yaml, line 1: unmapped: must be error, root, own-leaf or suppress, not 'no'"),
        ("seed: -1", "plan.yaml, line 1: seed: must be 0 or more, not -1"),
        (
            "attributes:\n  a: {role: quasi-identifier, weight: 0}",
            "plan.yaml, line 2: attributes.a.weight: must be above 0, not 0",
        ),
        (
            "attributes:\n  a: {role: quasi-identifier, weight: 1e308}",
            "plan.yaml, line 2: attributes.a.weight: must be 1,000,000 or less, not 1e+308",
        ),
        (
            "attributes:\n  a: {role: quasi-identifier, weight: .nan}",
            "plan.yaml, line 2: attributes.a.weight: must be a number, not .nan",
        ),
        (
            "attributes:\n  a: {role: quasi-identifier, weight: inf}",
            "plan.yaml, line 2: attributes.a.weight: must be a number, not inf",
        ),
        (
            "attributes:\n  a: {role: quasi-identifier, ontology: ''}",
            "plan.yaml, line 2: attributes.a.ontology: must not be empty",
        ),
        ("attributes:\n  '': {role: identifier}", "plan.yaml, line 2: attributes.: must not be empty"),
        (
            "method: {measure: logs}",
            "plan.yaml, line 1: method.measure: must be path, lch, wup, tversky, rodriguez, petrakis, logsc, "
            "resnik, lin, jcn, vector or equality, not 'logs'; did you mean 'logsc'?",
        ),
        ("method: {weighted: 1}", "plan.yaml, line 1: method.weighted: must be true or false, not 1"),
        (
            "table: {separator: ';;'}",
            "plan.yaml, line 1: table.separator: must be one character, such as ',' ';' or tab, not ';;'",
        ),
        (
            "table: {encoding: utf-9}",
            "plan.yaml, line 1: table.encoding: 'utf-9' is not an encoding; "
            "common ones are utf-8, latin-1, cp1252",
        ),
        (
            "table: {na_values: NA}",
            "plan.yaml, line 1: table.na_values: must be a list, such as [a, b], not 'NA'",
        ),
        (
            "table:\n  na_values:\n  - NA\n  - ?\n",
            "plan.yaml, line 4: table.na_values[1]: must be text, not {'': None}; put it in quotes",
        ),
    ],
)
def test_message_for_wrong_content(text: str, message: str) -> None:
    assert message_of(text) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "plan.yaml: the plan is empty; `ontomask init TABLE` writes one to start from"),
        (
            "# only a comment\n",
            "plan.yaml: the plan is empty; `ontomask init TABLE` writes one to start from",
        ),
        ("- age", "plan.yaml, line 1: must hold settings (`key: value`), not a list"),
        ("seed: 1\nseed: 2", "plan.yaml, line 2: seed: given twice (first in line 1); keep one"),
        (
            "attributes:\n  a: {role: identifier}\n  b: {}\n  a: {}",
            "plan.yaml, line 4: attributes.a: given twice (first in line 2); keep one",
        ),
        (
            "privacy:\n\tk: 5",
            "plan.yaml, line 2: not YAML: found character '\\t' that cannot start any token; "
            "indent with spaces, not tabs",
        ),
        (
            "seed: 1\nprivacy: {k: 5",
            "plan.yaml, line 2: not YAML: expected ',' or '}', but got '<stream end>' "
            "(while parsing a flow mapping)",
        ),
        (
            "seed: 1\n---\nseed: 2",
            "plan.yaml, line 2: not YAML: but found another document "
            "(expected a single document in the stream)",
        ),
        ("seed: 1\nmissing: \x07", "plan.yaml, line 2: the character '\\x07' is not allowed in YAML"),
        ("seed: !important 1", "plan.yaml, line 1: seed: remove the tag !important"),
        ("? [a]\n: b", "plan.yaml, line 1: a key must be text; is a quote missing?"),
        ("[" * 5000, "plan.yaml, line 1: nested far too deeply"),
    ],
)
def test_message_for_a_damaged_file(text: str, message: str) -> None:
    assert message_of(text) == message


def test_an_alias_inside_itself_ends() -> None:
    assert "line 1: attributes.a: nested too deeply" in message_of("attributes: {a: &x {role: *x}}")


NINES = "\n".join(
    ["a0: &a0 {r: 1}"] + [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 9)] + ["seed: 1"]
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (NINES, r"plan.yaml, line \d: aliases make it more than 200,000 values"),
        ("attributes: &a {a: *a, b: *a, c: *a, d: *a, e: *a, f: *a}", "line 1: .*nested too deeply"),
        ("#" * 2_000_001, "plan.yaml: more than 2,000,000 characters"),
        ("- " * 5000, "plan.yaml, line 1: nested far too deeply"),
        ("{a: " * 5000, "plan.yaml, line 1: nested far too deeply"),
        ("privacy: !!python/object/apply:os.system [id]", "line 1: privacy: remove the tag .*os.system"),
        ("seed: !!binary aWQ=", "line 1: seed: remove the tag .*binary"),
        (f"seed: {'9' * 5000}", "line 1: seed: must be a whole number, not 9999"),
        (f"privacy: {{k: {'9' * 5000}}}", "line 1: privacy.k: must be a whole number"),
        ("attributes: {a: {role: quasi-identifier, weight: .inf}}", r"weight: must be a number, not \.inf"),
        ("attributes: {a: {role: quasi-identifier, weight: 1e999}}", "weight: must be a number, not inf"),
        ("attributes: {a: {role: quasi-identifier, weight: .nan}}", r"weight: must be a number, not \.nan"),
        ("seed: 1\nseed: 2", r"line 2: seed: given twice \(first in line 1\)"),
    ],
)
def test_a_plan_that_is_too_much(text: str, message: str) -> None:
    began = time.monotonic()
    assert re.search(message, message_of(text).splitlines()[0])
    assert time.monotonic() - began < 20


def test_a_long_order_is_read_at_once() -> None:
    order = tuple(f"grade {i}" for i in range(50_000))
    began = time.monotonic()
    AttributePlan(role="quasi-identifier", kind="ordinal", order=order)
    assert time.monotonic() - began < 5


def test_the_same_mistake_in_thousands_of_columns_is_told_soon() -> None:
    columns = "\n".join(f"  c{i}: {{rule: other}}" for i in range(5000))
    message = message_of(f"attributes:\n{columns}")
    assert message.count("unknown key") == 200 and message.count("did you mean 'role'?") == 100
    assert message.endswith("and 4,800 more")


@pytest.mark.skipif(os.name != "posix", reason="pipes and devices are those of POSIX")
@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "loop", "long", "nul"])
def test_what_is_no_plan_file(tmp_path: Path, kind: str) -> None:
    path = tmp_path / {"long": "x" * 300, "nul": "a\0b"}.get(kind, "plan.yaml")
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "device":
            path.symlink_to("/dev/zero")
        case "folder":
            path.mkdir()
        case "loop":
            path.symlink_to(path.name)
    with pytest.raises(PlanError, match="the plan cannot be read"):
        Plan.load(path)


def test_a_table_given_as_a_plan_is_not_quoted() -> None:
    with pytest.raises(PlanError) as told:
        Plan.from_yaml("name,job\nJane Doe,nurse\n")
    assert "Jane" not in str(told.value) and "not a text" in str(told.value)


def test_the_home_of_nobody_is_told() -> None:
    plan = Plan.from_options(["job:~nobody-has-this-name/tree.yaml"])
    with pytest.raises(PlanError, match="starts with the home of nobody"):
        plan.ontology_source(plan.attributes["job"].ontology or "")
    assert plan.path_of("~/tree.yaml") == Path.home() / "tree.yaml"


def test_all_problems_at_once_in_line_order() -> None:
    text = (
        "seed: x\n"
        "method:\n  static: true\n  h1: 1\n  name: recoding\n  measure: logs\n"
        "attributes:\n  age: {role: qi, kind: numeric, under: person}\n"
        "seed: 3\n"
        "privacy: {k: 0, ll: 2}\n"
    )
    heads = [line.split(":", 2)[:2] for line in message_of(text).splitlines()]
    assert heads == [
        ["plan.yaml, line 1", " seed"],
        ["plan.yaml, line 3", " method.static"],
        ["plan.yaml, line 4", " method.h1"],
        ["plan.yaml, line 6", " method.measure"],
        ["plan.yaml, line 8", " attributes.age.under"],
        ["plan.yaml, line 8", " attributes.age.role"],
        ["plan.yaml, line 9", " seed"],
        ["plan.yaml, line 10", " privacy.ll"],
        ["plan.yaml, line 10", " privacy.k"],
    ]


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match=r"nowhere\.yaml: the plan cannot be read \(No such file"):
        Plan.load(tmp_path / "nowhere.yaml")
    with pytest.raises(PlanError, match="the plan cannot be read"):
        Plan.load(tmp_path)
    latin = tmp_path / "latin.yaml"
    latin.write_bytes("seed: 1\n# prénom\n".encode("latin-1"))
    with pytest.raises(PlanError, match=r"^latin\.yaml, line 2: not UTF-8 text; save the plan as UTF-8$"):
        Plan.load(latin)


# ------------------------------------------------------------------------------ what does not go together


OPTIONS = {
    "weighted": ("true", {"recoding", "sa-mdav", "resampling", "best-first"}),
    "static": ("true", {"sa-mdav"}),
    "centroid": (
        "median",
        {"mdav", "s-mdav", "mdav-lcs", "marginality-mdav", "sa-mdav", "annealing", "auto"}
        | {"k-ward", "resampling", "t-first"},
    ),
    "scaling": ("published", {"marginality-mdav"}),
    "replacement": ("synthetic", {"marginality-mdav"}),
    "classic": ("true", {"marginality-mdav"}),
    "refine": ("false", {"t-first"}),
    "h1": ("false", {"recoding"}),
    "h2": ("false", {"recoding"}),
    "distributional": ("true", {"recoding"}),
    "setting": ("wup-lcs", {"resampling"}),
    "blank": ("true", set(METHODS) - {"top-down", "rank-swapping", "noise"}),
    "target": ("ill", {"top-down"}),
    "score": ("infogain", {"top-down"}),
    "needs_gain": ("false", {"top-down"}),
    "heuristic": ("classic", {"datafly"}),
    "among": ("all", {"incognito"}),
    "combine": ("euclidean", set(METHODS)),
    "scale": ("zscore", set(METHODS)),
    "measure": ("wup", set(METHODS)),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("option", OPTIONS)
def test_a_method_has_its_options_and_no_others(method: str, option: str) -> None:
    value, owners = OPTIONS[option]
    text = f"method: {{name: {method}, {option}: {value}}}"
    if method in owners:
        assert Plan.from_yaml(text).as_dict()["method"][option] in (value, value == "true")
    else:
        message = message_of(text)
        assert message.startswith(f"plan.yaml, line 1: method.{option}: an option of ")
        assert all(owner in message for owner in owners)
        assert f"not of {method};" in message


def test_a_measure_has_its_options_and_no_others() -> None:
    assert MethodPlan(measure="wup", convention="ws4j").convention == "ws4j"
    assert MethodPlan(measure="lin", ic="sanchez").ic == "sanchez"
    with pytest.raises(PlanError, match=r"^convention: an option of path, lch, wup, not of logsc;"):
        MethodPlan(convention="ws4j")
    with pytest.raises(PlanError, match=r"^ic: an option of resnik, lin, jcn, not of wup;"):
        MethodPlan(measure="wup", ic="seco")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("{ontology: wordnet}", "ontology: with role: other (the default) the column is left as it is"),
        ("{role: identifier, weight: 2}", "weight: identifiers are dropped"),
        ("{role: confidential, weight: 2}", "weight: only a quasi-identifier has a weight"),
        ("{role: quasi-identifier, kind: numeric, ontology: x}", "ontology: only kind: nominal has this"),
        ("{role: quasi-identifier, kind: ordinal, senses: first, order: [a, b]}", "senses: only kind: nom"),
        ("{role: quasi-identifier, order: [a, b]}", "order: only kind: ordinal has this, not nominal"),
        ("{role: quasi-identifier, kind: ordinal}", "order: kind: ordinal needs its values, lowest first"),
        ("{role: quasi-identifier, kind: ordinal, order: [a]}", "order: must have two values or more"),
        ("{role: quasi-identifier, kind: ordinal, order: [a, b, a]}", "order: has 'a' twice"),
    ],
)
def test_settings_of_a_column_must_have_an_effect(settings: str, message: str) -> None:
    found = message_of(f"attributes:\n  x: {settings}")
    assert found.startswith(f"plan.yaml, line 2: attributes.x.{message}")
    assert "\n" not in found


def test_keys_wait_for_a_role() -> None:
    waiting = Plan.from_yaml("attributes:\n  x: {role: undecided, kind: ordinal, order: [a, b], weight: 2}")
    assert Plan.from_yaml(waiting.to_yaml()) == waiting
    assert waiting.attributes["x"].order == ("a", "b")
    with pytest.raises(PlanError, match="column 'x': is undecided; write identifier, quasi-identifier"):
        waiting.check_runnable()


@pytest.mark.parametrize("role", ["identifier", "other"])
def test_what_waited_may_stay_beside_a_role_without_use_for_it(role: str) -> None:
    plan = Plan.from_yaml(
        f"attributes:\n  x: {{role: {role}, kind: ordinal, order: [a, b], ontology: wordnet}}"
    )
    assert plan == Plan.from_yaml(f"attributes:\n  x: {{role: {role}}}")
    assert plan.digest == Plan.from_yaml(f"attributes:\n  x: {{role: {role}}}").digest


def test_recoding_chooses_at_random_or_by_counts_not_both() -> None:
    assert message_of("method: {name: recoding, distributional: true, h2: false}").endswith("choose one")
    assert MethodPlan(name="recoding", distributional=True, h1=False).h2 is True


# ------------------------------------------------------------------------------ from Python


def test_from_dict_names_the_key() -> None:
    with pytest.raises(
        PlanError, match=r"^attributes\.age\.kind: must be nominal, numeric, ordinal or date, not"
    ):
        Plan.from_dict({"attributes": {"age": {"role": "quasi-identifier", "kind": "number"}}})
    with pytest.raises(PlanError, match=r"must be text, not 1"):
        Plan.from_dict({"attributes": {1: {"role": "identifier"}}})


@pytest.mark.parametrize("build", [Plan.from_dict, lambda tree: Plan(**tree)])
def test_every_way_in_raises_the_family_error(build) -> None:  # type: ignore[no-untyped-def]
    assert build({"privacy": {"k": 3}}).privacy == Privacy(k=3)
    with pytest.raises(OntomaskError, match=r"^privacy\.k: must be 1 or more"):
        build({"privacy": {"k": 0}})


def test_typed_parts_and_paths_are_welcome() -> None:
    column = AttributePlan(role="quasi-identifier", ontology=Path("codes") / "icd.csv", weight=2)
    plan = Plan(attributes={"diagnosis": column}, privacy=Privacy(k=3))
    assert plan.attributes["diagnosis"].ontology == str(Path("codes") / "icd.csv")
    assert plan.attributes["diagnosis"].weight == 2.0


def test_replace_keeps_the_rest() -> None:
    plan = Plan.from_yaml(FULL, folder="here").replace(privacy={"k": 10}, method={"static": True})
    assert (plan.privacy.k, plan.method.static, plan.method.weighted) == (10, True, True)
    assert plan.attributes == Plan.from_yaml(FULL).attributes
    assert plan.folder == Path("here")
    with pytest.raises(PlanError, match=r"method\.static"):
        plan.replace(method={"name": "mdav", "weighted": None})


def test_a_plan_can_be_sent_to_another_process() -> None:
    plan = Plan.from_yaml(FULL, folder="here")
    sent = pickle.loads(pickle.dumps(plan))
    assert sent == plan
    assert sent.folder == Path("here")


# ------------------------------------------------------------------------------ from options


def test_options_say_what_a_file_says() -> None:
    plan = Plan.from_options(
        qi=["occupation:wordnet", "native-country:wordnet", "age:numeric"],
        identifiers=["name"],
        confidential=["salary-class"],
        k=5,
        method="sa-mdav",
        measure="logsc",
        weighted=True,
        under=["occupation:person"],
        mapping=["occupation:occupation.csv"],
        separator=";",
        encoding="utf-8",
        seed=7,
    )
    assert plan == Plan.from_yaml(FULL)


@pytest.mark.parametrize(
    ("option", "column", "expected"),
    [
        ("job", "job", {"ontology": None}),
        ("job:", "job", {"ontology": None}),
        ("dc:subject:", "dc:subject", {"ontology": None}),
        ("dc:subject:mesh.xml", "dc:subject", {"ontology": "mesh.xml"}),
        ("job:C:\\data\\edu.csv", "job", {"ontology": "C:\\data\\edu.csv"}),
        ("age:numeric", "age", {"kind": "numeric"}),
        ("level:ordinal=low<mid < high", "level", {"kind": "ordinal", "order": ("low", "mid", "high")}),
        ("a:b:ordinal=x:1<y:2", "a:b", {"kind": "ordinal", "order": ("x:1", "y:2")}),
    ],
)
def test_a_column_and_what_it_is(option: str, column: str, expected: dict[str, object]) -> None:
    assert Plan.from_options([option]).attributes == {
        column: AttributePlan(role="quasi-identifier", **expected)  # type: ignore[arg-type]
    }


def test_wrong_options_are_told_together() -> None:
    with pytest.raises(PlanError) as caught:
        Plan.from_options(
            ["age:numeric", "job"],
            identifiers=["age"],
            k=0,
            under=["jobs:person", "job"],
            statc=True,
        )
    assert str(caught.value).splitlines() == [
        "attributes.age: given twice, as identifier and quasi-identifier",
        "under 'jobs:person': the column 'jobs' was given no role; did you mean 'job'?",
        "under 'job': must be COLUMN:VALUE",
        "statc: unknown key; did you mean 'static'?",
        "privacy.k: must be 1 or more (2 or more to protect anybody), not 0",
    ]


# ------------------------------------------------------------------------------ beside a plan


@pytest.mark.parametrize(
    ("setting", "where", "value"),
    [
        ("method.static=true", lambda plan: plan.method.static, True),
        ("method.static = yes", lambda plan: plan.method.static, True),
        ("table.separator=;", lambda plan: plan.table.separator, ";"),
        ("table.separator=,", lambda plan: plan.table.separator, ","),
        ("table.na_values=[no, 1.0, '']", lambda plan: plan.table.na_values, ("no", "1.0", "")),
        ("attributes.age.weight=2", lambda plan: plan.attributes["age"].weight, 2.0),
        ("attributes.age={role: identifier}", lambda plan: plan.attributes["age"].role, "identifier"),
        ("attributes.a.b={role: other}", lambda plan: "a.b" in plan.attributes, True),
        ("attributes.a.c.weight=3", lambda plan: plan.attributes["a.c"].weight, 3.0),
        ("attributes.age=", lambda plan: list(plan.attributes), ["a.c"]),
        ("attributes.age.kind=null", lambda plan: plan.attributes["age"].kind, "nominal"),
        ("privacy.k=3", lambda plan: plan.privacy.k, 3),
        ("privacy={k: 4}", lambda plan: plan.privacy.k, 4),
        ("others=drop", lambda plan: plan.others, "drop"),
        ("seed=9", lambda plan: plan.seed, 9),
    ],
)
def test_any_key_can_be_set(setting: str, where, value: object) -> None:  # type: ignore[no-untyped-def]
    plan = Plan.from_options(["age:numeric", "a.c:wordnet"])
    assert where(plan) != value
    assert where(plan.with_options(settings=[setting])) == value


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("method.statc=true", "method.statc: unknown key; did you mean 'static'?"),
        ("static=true", "static: unknown key; did you mean 'method.static'?"),
        ("methd.static=true", "methd.static: unknown key; did you mean 'method.static'?"),
        ("colour=red", "colour: unknown key; known are version, table, attributes, privacy, "),
        ("attributes.age.wieght=2", "attributes.age.wieght: unknown key; did you mean 'weight'?"),
        ("privacy.k=few", "privacy.k: must be a whole number, not 'few'"),
        ("privacy.kk=3", "privacy.kk: unknown key; did you mean 'k'?"),
        ("table.na_values=[NA", "table.na_values: '[NA' is not YAML; is a bracket or a quote missing?"),
        ("seed", "'seed': must be KEY=VALUE; such as method.static=true"),
        ("=3", "'=3': must be KEY=VALUE; such as method.static=true"),
    ],
)
def test_a_key_that_cannot_be_set(setting: str, message: str) -> None:
    with pytest.raises(PlanError) as caught:
        Plan.from_options(["age:numeric"]).with_options(settings=[setting])
    assert str(caught.value).startswith(message)


def test_all_that_is_wrong_beside_a_plan_is_told_at_once() -> None:
    with pytest.raises(PlanError) as caught:
        Plan().with_options(["a", "a"], under=["b:c"], settings=["x=1", "seed=y", "others=all"])
    assert [fault.key for fault in caught.value.faults] == ["attributes.a", "", "x", "seed", "others"]


def test_a_column_named_anew_has_only_what_is_said_of_it() -> None:
    plan = Plan.from_yaml(FULL).with_options(["occupation:numeric"], identifiers=["age"], method="recoding")
    assert plan.attributes["occupation"] == AttributePlan(role="quasi-identifier", kind="numeric")
    assert plan.attributes["age"] == AttributePlan(role="identifier")
    assert plan.attributes["name"] == AttributePlan(role="identifier")
    assert plan.method.own == Recoding(weighted=True)


def test_an_unknown_method_beside_a_plan_is_one_fault() -> None:
    with pytest.raises(PlanError, match=r"^method\.name: must be .*; did you mean 'sa-mdav'\?$"):
        Plan.from_yaml(FULL).with_options(method="sa-mdaf")


# ------------------------------------------------------------------------------ faults as data


def test_faults_carry_file_line_key_value_and_remedy() -> None:
    with pytest.raises(PlanError) as caught:
        Plan.from_yaml("seed: 1\nprivacy:\n  k: 0\nmethod: {statc: 1}\nseed: 2", name="p.yaml")
    assert caught.value.faults == (
        Fault(
            "must be 1 or more (2 or more to protect anybody), not 0",
            file="p.yaml", line=3, key="privacy.k", value="0",
        ),
        Fault(
            "unknown key",
            file="p.yaml", line=4, key="method.statc", value="1", remedy="did you mean 'static'?",
        ),
        Fault("given twice (first in line 1)", file="p.yaml", line=5, key="seed", remedy="keep one"),
    )  # fmt: skip


# ------------------------------------------------------------------------------ columns nobody named


def test_a_column_that_nobody_named_stops_the_run() -> None:
    plan = Plan.from_yaml("seed: 1\nattributes:\n  age: {role: quasi-identifier}", name="p.yaml")
    with pytest.raises(PlanError) as caught:
        plan.check_against(["id", "age", "sex"])
    (fault,) = caught.value.faults
    assert (fault.line, fault.key) == (2, "attributes")
    assert fault.text == "nobody decided what becomes of 'id', 'sex'"
    assert "others: drop" in fault.remedy and "others: keep" in fault.remedy
    for decided in ("drop", "keep"):
        assert plan.replace(others=decided).check_against(["id", "age", "sex"]) == ["id", "sex"]
    assert Plan.from_options(["age"]).check_against(["age"]) == []


# ------------------------------------------------------------------------------ versions


def test_a_plan_without_a_version_is_of_the_first() -> None:
    assert Plan.from_yaml("seed: 1").version == 1
    assert Plan.from_yaml("version: 1\nseed: 1") == Plan.from_yaml("seed: 1")


def test_a_newer_plan_is_refused_for_that_alone() -> None:
    assert message_of("version: 2\nnew_key: [1]\nseed: -1") == (
        "plan.yaml, line 1: version: this plan is of version 2, and this ontomask reads plans up to version "
        "1; update ontomask"
    )
    for wrong in ("0", "x", "true", "1.5"):
        assert "line 1: version: must be a whole number, 1 or more" in message_of(f"version: {wrong}")


def test_an_older_plan_is_converted(monkeypatch: pytest.MonkeyPatch) -> None:
    def rename(tree: dict[str, Any]) -> dict[str, Any]:
        return {"seed" if key == "start" else key: value for key, value in tree.items()}

    monkeypatch.setattr(versions, "VERSION", 2)
    monkeypatch.setitem(versions.UPGRADES, 1, rename)
    assert Plan.from_yaml("version: 1\nstart: 5").seed == 5
    assert Plan.from_yaml("start: 5").seed == 5
    assert "line 2: start: unknown key" in message_of("version: 2\nstart: 5")


# ------------------------------------------------------------------------------ requirements


@dataclass(frozen=True)
class Spread(Requirement):
    """Classes of a made-up spread."""

    key: ClassVar[str] = "spread"
    column: str
    least: float

    @classmethod
    def parse(cls, value: Any) -> list[Spread]:
        if not isinstance(value, dict):
            raise ValueError(f"must be COLUMN: NUMBER, not {value!r}; name a column")
        return [cls(column, least) for column, least in value.items()]

    @property
    def asked(self) -> float:
        return self.least

    def measured(self, classes: Classes) -> Float64:
        return classes.sizes.astype(np.float64)

    def __str__(self) -> str:
        return f"spread of {self.column} = {self.least}"


def test_a_registered_requirement_is_a_key_of_privacy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(REQUIREMENTS, "spread", Spread)
    plan = Plan.from_yaml("privacy: {spread: {pay: 0.2, age: 3}}")
    assert plan.requirements() == [Spread("pay", 0.2), Spread("age", 3)]
    assert plan.privacy.k is None
    assert plan.as_dict()["privacy"] == {"spread": {"pay": 0.2, "age": 3}}
    assert Plan.from_yaml(plan.to_yaml()) == plan
    both = plan.replace(privacy={"k": 4, "spread": {"age": None}})
    assert both.requirements() == [Spread("pay", 0.2), KAnonymity(4)]
    assert both.privacy.k == both.least_size == 4
    assert "spread of pay = 0.2, k = 4" in repr(both)
    assert message_of("seed: 1\nprivacy:\n  k: x\n  spread: [1, yes, a]").splitlines() == [
        "plan.yaml, line 3: privacy.k: must be a whole number, not 'x'",
        "plan.yaml, line 4: privacy.spread: must be COLUMN: NUMBER, not [1, True, 'a']; name a column",
    ]
    assert "spred: unknown key; did you mean 'spread'?" in message_of("privacy: {spred: 1}")


def test_k_is_five_only_if_nothing_is_asked_for() -> None:
    assert Plan().requirements() == [KAnonymity(5)]
    assert Plan.from_yaml("privacy: {k: 3}").requirements() == [KAnonymity(3)]


# ------------------------------------------------------------------------------ a plan in other shapes


def test_a_dict_or_a_path_is_a_plan_too(tmp_path: Path) -> None:
    table = pa.table({"id": ["1", "2", "3", "4"], "age": [30, 31, 40, 41]})
    settings = {
        "attributes": {"id": {"role": "identifier"}, "age": {"role": "quasi-identifier", "kind": "numeric"}},
        "privacy": {"k": 2},
    }
    (tmp_path / "plan.yaml").write_text(Plan.from_dict(settings).to_yaml())
    expected = om.anonymize(table, Plan.from_dict(settings)).to_arrow()
    for plan in (settings, tmp_path / "plan.yaml", str(tmp_path / "plan.yaml")):
        assert om.anonymize(table, plan).to_arrow() == expected
        assert om.evaluate(table, expected, plan)["k_reached"] == 2
        assert [row["k_reached"] for row in om.compare(table, plan, ["sa-mdav"], [2]).rows] == [2]
    with pytest.raises(PlanError, match="a plan is a Plan, a dict or the path of a file, not 5"):
        om.anonymize(table, 5)  # type: ignore[arg-type]


def test_nothing_takes_a_key_away() -> None:
    plan = Plan.from_yaml(FULL)
    assert list(plan.replace(attributes={"age": None}).attributes) == [
        "name",
        "occupation",
        "native-country",
        "salary-class",
    ]
    changed = plan.replace(attributes={"occupation": {"under": None}}, seed=None, method={"weighted": None})
    assert changed.attributes["occupation"].under is None
    assert changed.attributes["occupation"].mapping == "occupation.csv"
    assert (changed.seed, changed.method.weighted) == (0, False)


def test_a_plan_shows_itself_in_a_line() -> None:
    assert repr(Plan.from_yaml(FULL)) == (
        "<Plan: masks occupation, native-country, age; k = 5; sa-mdav by logsc>"
    )
    assert repr(Plan()) == "<Plan: masks nothing; k = 5; sa-mdav by logsc>"
    many = Plan.from_options([f"c{i}" for i in range(9)])
    assert repr(many) == "<Plan: masks c0, c1, c2, c3 and 5 more; k = 5; sa-mdav by logsc>"
    assert repr(AttributePlan(role="identifier")) == "AttributePlan(role='identifier')"


def test_the_centroid_of_numbers_is_for_methods_that_have_one() -> None:
    assert "takes what is most frequent" in message_of(
        "method: {name: resampling, setting: wup-mode, centroid: median}"
    )
    assert Plan.from_yaml("method: {name: resampling, centroid: median}").method.centroid == "median"


def test_another_method_keeps_what_it_has_and_no_more() -> None:
    plan = Plan.from_yaml("method: {weighted: true, static: true, centroid: median, scale: zscore}")
    assert plan.with_method("recoding").as_dict(only_given=True)["method"] == {
        "name": "recoding",
        "scale": "zscore",
        "weighted": True,
    }
    assert plan.with_method("mdav").method.centroid == "median"


# ------------------------------------------------------------------------------ writing and digest


def test_what_is_written_is_complete_and_only_what_applies() -> None:
    text = Plan.from_options(["level:ordinal=low<high"], identifiers=["no"], method="recoding").to_yaml()
    assert yaml.safe_load(text) == {
        "version": 1,
        "table": {"na_values": ["", "NA", "?"]},
        "attributes": {
            "no": {"role": "identifier"},
            "level": {"role": "quasi-identifier", "kind": "ordinal", "weight": 1.0, "order": ["low", "high"]},
        },
        "privacy": {"k": 5},
        "method": {
            "name": "recoding",
            "measure": "logsc",
            "blank": False,
            "weighted": False,
            "h1": True,
            "h2": True,
            "distributional": False,
        },
        "others": "error",
        "missing": "own-class",
        "unmapped": "error",
        "seed": 0,
    }


words = st.text(min_size=1, max_size=12)
columns = st.one_of(
    st.builds(AttributePlan, role=st.sampled_from(["identifier", "other"])),
    st.builds(
        AttributePlan,
        role=st.just("quasi-identifier"),
        ontology=st.none() | words,
        under=st.none() | words,
        senses=st.sampled_from(["coherent", "first", "explicit"]),
        weight=st.floats(min_value=1e-6, max_value=1e6),
    ),
    st.builds(
        AttributePlan,
        role=st.just("confidential"),
        kind=st.just("ordinal"),
        order=st.lists(words, min_size=2, max_size=4, unique=True).map(tuple),
    ),
)
plans = st.builds(
    Plan,
    table=st.builds(TableSettings, na_values=st.lists(st.text(max_size=5), max_size=4).map(tuple)),
    attributes=st.dictionaries(words, columns, max_size=4),
    method=st.builds(
        MethodPlan, name=st.sampled_from([name for name, kind in METHODS.items() if kind.has_groups])
    ),
    privacy=st.builds(Privacy, k=st.integers(1, 10**6)),
    seed=st.integers(0, 2**63),
)


@given(plans)
def test_round_trip(plan: Plan) -> None:
    again = Plan.from_yaml(plan.to_yaml())
    assert again == plan
    assert list(again.attributes) == list(plan.attributes)
    assert again.digest == plan.digest
    assert Plan.from_dict(plan.as_dict()) == plan


@pytest.mark.parametrize(
    "word",
    [
        "no",
        "~",
        "null",
        "1.0",
        "?",
        "<<",
        "=",
        "a: b",
        "#",
        "- x",
        "{}",
        "é",
        "\t",
        "a\nb ",
        "\x85",
        "\u2028",
        "\ufeff",
        "😀",
        "x" * 200,
    ],
)
def test_awkward_words_survive_the_round_trip(word: str) -> None:
    plan = Plan(
        table=TableSettings(na_values=(word,)),
        attributes={word: AttributePlan(role="quasi-identifier", under=word)},
    )
    assert Plan.from_yaml(plan.to_yaml()) == plan


def test_digest_is_of_what_is_asked_not_of_how_it_is_written() -> None:
    plan = Plan.from_yaml(FULL, folder="here", name="a.yaml")
    same = Plan.from_yaml(plan.to_yaml(), folder="there")
    assert plan.digest == same.digest
    assert plan.digest == sha256(json.dumps(plan.as_dict()).encode()).hexdigest()
    assert (
        Plan().digest == Plan.from_yaml("privacy: {k: 5}").digest != Plan.from_yaml("privacy: {k: 6}").digest
    )
    assert plan.replace(seed=8).digest != plan.digest


# ------------------------------------------------------------------------------ using


def test_paths_are_relative_to_the_plan_file(tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text(FULL, encoding="utf-8")
    plan = Plan.load(tmp_path / "plan.yaml")
    assert plan.folder == tmp_path
    assert plan.path_of("occupation.csv") == tmp_path / "occupation.csv"
    assert plan.path_of(tmp_path / "x.csv") == tmp_path / "x.csv"
    assert plan.ontology_source("wordnet") == "wordnet"
    assert plan.ontology_source("edu.csv") == tmp_path / "edu.csv"
    assert str(tmp_path) not in plan.to_yaml()


def test_the_measure_of_a_plan(tmp_path: Path) -> None:
    plan = Plan.from_yaml("method: {measure: wup, convention: ws4j}")
    assert repr(plan.make_measure()) == "WuPalmer(convention='ws4j')"
    counted = Plan.from_yaml("method: {measure: lin, ic: counts.csv}", folder=tmp_path).make_measure()
    assert counted.ic == str(tmp_path / "counts.csv")  # type: ignore[attr-defined]
    assert Plan.from_yaml("method: {measure: lin, ic: sanchez}").make_measure().ic == "sanchez"  # type: ignore[attr-defined]


def test_columns_of_the_plan_must_be_in_the_table() -> None:
    plan = Plan.from_yaml(FULL, name="plan.yaml")
    names = ["id", "name", "age", "occupation", "salary-class", "native-country", "sex"]
    assert plan.replace(others="keep").check_against(names) == ["id", "sex"]
    with pytest.raises(PlanError) as caught:
        plan.replace(others="drop").check_against(["name", "Age ", "Occupation", "salary-class", "x"])
    assert str(caught.value).splitlines() == [
        "plan.yaml, line 4: attributes.occupation: the table has no such column; did you mean 'Occupation'?",
        "plan.yaml, line 5: attributes.native-country: the table has no such column; "
        "it has name, Age , Occupation, salary-class, x",
        "plan.yaml, line 6: attributes.age: the table has no such column; did you mean 'Age '?",
    ]


def test_a_plan_without_quasi_identifier_says_where() -> None:
    plan = Plan.from_yaml("seed: 1\nattributes:\n  name: {role: identifier}", name="plan.yaml")
    with pytest.raises(PlanError, match=r"^plan\.yaml, line 2: attributes: no column has role"):
        plan.check_runnable()
    Plan.from_yaml(FULL).check_runnable()


# ---------------------------------------------------------------------- hierarchies and suppression


@pytest.mark.parametrize(
    ("written", "files"),
    [
        ("jobs.csv", ("jobs.csv",)),
        ("[a.csv, b.yaml]", ("a.csv", "b.yaml")),
        ("{files: [a.csv]}", ("a.csv",)),
        ("{levels: 4}", None),
    ],
)
def test_a_hierarchy_is_a_file_several_or_a_section(written: str, files: tuple[str, ...] | None) -> None:
    plan = Plan.from_yaml(f"attributes: {{job: {{role: quasi-identifier, hierarchy: {written}}}}}")
    hierarchy = plan.attributes["job"].hierarchy
    assert hierarchy is not None and hierarchy.files == files
    assert Plan.from_yaml(plan.to_yaml()) == plan


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("role: quasi-identifier, hierarchy: {levels: 0}", "hierarchy.levels: must be 1 or more, not 0"),
        ("role: quasi-identifier, hierarchy: {level: 4}", "unknown key; did you mean 'levels'?"),
        (
            "role: quasi-identifier, hierarchy: {files: [a.csv], levels: 4}",
            "is read from a file; remove this",
        ),
        ("role: quasi-identifier, hierarchy: []", "is empty; name a file"),
        ("role: quasi-identifier, hierarchy: 4", "must hold settings (`key: value`), not 4"),
        ("role: quasi-identifier, hierarchy: {by: width}", "by width is for kind: numeric, not nominal"),
        (
            "role: quasi-identifier, kind: numeric, hierarchy: {by: frequency, width: 5}",
            "only `by: width` has this, not frequency",
        ),
        (
            "role: quasi-identifier, kind: ordinal, order: [a, b], hierarchy: {by: prefix}",
            "is for kind: nominal, not ordinal",
        ),
        (
            "role: quasi-identifier, kind: numeric, hierarchy: {width: 5, ranges: age}",
            "width and ranges do not go together",
        ),
        ("role: confidential, hierarchy: a.csv", "only a quasi-identifier has a hierarchy"),
        (
            "role: quasi-identifier, ontology: wordnet, hierarchy: {by: prefix}",
            "codes that are cut need none, for each is itself",
        ),
        ("role: quasi-identifier, hierarchy: {characters: [2]}", "only `by: prefix` has this"),
        (
            "role: quasi-identifier, hierarchy: {by: prefix, characters: [2], levels: 2}",
            "characters and levels do not go together",
        ),
        ("role: quasi-identifier, hierarchy: {by: prefix, characters: 2}", "must be a list of whole numbers"),
        (
            "role: quasi-identifier, hierarchy: {by: prefix, characters: []}",
            "must be a list of whole numbers",
        ),
        (
            "role: quasi-identifier, hierarchy: {by: prefix, characters: [2, 0]}",
            "whole numbers above 0, not 0",
        ),
        ("role: quasi-identifier, hierarchy: {by: prefix, characters: [x]}", "must be a whole number, not"),
        ("role: quasi-identifier, labels: spa.tab", "only wordnet has words of other languages"),
        ("role: quasi-identifier, hierarchy: {ranges: age}", "by ranges is for kind: numeric, not nominal"),
        ("role: quasi-identifier, hierarchy: {width: 5}", "by width is for kind: numeric, not nominal"),
        (
            "role: quasi-identifier, kind: ordinal, order: [a, b], hierarchy: {ranges: age}",
            "by ranges is for kind: numeric, not ordinal",
        ),
    ],
)
def test_a_hierarchy_that_makes_no_sense_is_refused(settings: str, said: str) -> None:
    with pytest.raises(PlanError) as error:
        Plan.from_yaml(f"attributes: {{job: {{{settings}}}}}")
    assert said in str(error.value)


def test_the_files_of_hierarchies_are_files_of_the_plan(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv", "r.csv"):
        (tmp_path / name).touch()
    plan = Plan.from_dict(
        {
            "attributes": {
                "job": {"role": "quasi-identifier", "hierarchy": [str(tmp_path / "a.csv"), "b.csv"]},
                "age": {"role": "quasi-identifier", "kind": "numeric", "hierarchy": {"ranges": "r.csv"}},
            }
        },
        folder=tmp_path,
    )
    assert plan.files() == [tmp_path / "a.csv", tmp_path / "b.csv", tmp_path / "r.csv"]
    assert plan.as_public_dict()["attributes"]["job"]["hierarchy"]["files"] == ["a.csv", "b.csv"]
    assert str(tmp_path) not in str(plan.as_public_dict())


@pytest.mark.parametrize(
    ("given", "share"), [("2%", 0.02), (0.02, 0.02), ("0.5 %", 0.005), (0, 0.0), ("0.1", 0.1)]
)
def test_suppress_is_a_share_of_the_rows(given: Any, share: float) -> None:
    plan = Plan.from_dict({"privacy": {"suppress": given}, "method": {"name": "datafly"}})
    assert plan.privacy.suppress == share
    assert plan.privacy.k == 5  # it is no requirement
    assert Plan.from_yaml(plan.to_yaml()).privacy.suppress == share


@pytest.mark.parametrize("given", ["two", "100%", 1, 2, -0.1, "-1%", "nan", True, "%", [0.1]])
def test_suppress_that_is_no_share_is_refused(given: Any) -> None:
    with pytest.raises(PlanError, match=r"privacy\.suppress: must be a share of the rows"):
        Plan.from_dict({"privacy": {"suppress": given}, "method": {"name": "datafly"}})


def test_hierarchies_of_the_command_line_replace_those_of_the_plan() -> None:
    plan = Plan.from_dict({"attributes": {"job": {"role": "quasi-identifier", "hierarchy": {"levels": 4}}}})
    asked = plan.with_options(hierarchy=["job:a.csv", "job:b.csv"])
    hierarchy = asked.attributes["job"].hierarchy
    assert hierarchy is not None and hierarchy.files == ("a.csv", "b.csv") and hierarchy.levels is None


# ---------------------------------------------------------------------- one key changed, the rest kept

COMMENTED = """\
# A plan.
attributes:
  # why
  age: {role: undecided, kind: numeric}   # proposed
  "job: now":
    role: other
    # last
privacy: {k: 5}  # people
method: {}
notes: |
  kept
"""


@pytest.mark.parametrize(
    ("path", "value", "old", "new"),
    [
        (["attributes", "age", "role"], "identifier", "role: undecided", "role: identifier"),
        (["attributes", "age", "ontology"], "flat", "kind: numeric}", "kind: numeric, ontology: flat}"),
        (["attributes", "age", "kind"], None, ", kind: numeric", ""),
        (["attributes", "age", "role"], None, "role: undecided, ", ""),
        (["attributes", "job: now", "role"], "no", "role: other", 'role: "no"'),
        (["attributes", "job: now", "weight"], 2, "role: other\n", "role: other\n    weight: 2\n"),
        (["attributes", "job: now", "role"], None, '"job: now":\n    role: other', '"job: now": {}'),
        (["attributes", "job: now"], None, '  "job: now":\n    role: other\n', ""),
        (["attributes", "pay"], {"role": "other"}, "role: other\n", "role: other\n  pay: {role: other}\n"),
        (["attributes", "job: now"], {"role": "x"}, '"job: now":\n    role: other', '"job: now": {role: x}'),
        (["method", "name"], "mdav", "method: {}", "method: {name: mdav}"),
        (["seed"], 7, "  kept\n", "  kept\nseed: 7\n"),
        (["privacy", "l", "pay"], 3, "{k: 5}", "{k: 5, l: {pay: 3}}"),
        (["privacy", "t"], None, "{k: 5}", "{k: 5}"),
    ],
)
def test_a_key_is_changed_and_nothing_else(path: list[str], value: object, old: str, new: str) -> None:
    assert with_key(COMMENTED, path, value) == COMMENTED.replace(old, new)


def test_a_section_whose_only_key_is_removed_stays() -> None:
    for before, after in (
        ("privacy:\n  unit: pid  # whose\nseed: 7\n", "privacy: {}  # whose\nseed: 7\n"),
        ("privacy:  # how well:\n  unit: pid\nseed: 7\n", "privacy:  # how well:\n  {}\nseed: 7\n"),
        ("privacy:\n  # the person:\n  unit: pid", "privacy:\n  # the person:\n  {}"),
    ):
        assert with_key(before, ["privacy", "unit"], None) == after
        assert Plan.from_yaml(with_key(after, ["privacy", "k"], 3)).privacy.k == 3


def test_a_change_that_would_change_more_is_refused() -> None:
    with pytest.raises(PlanError, match=r"attributes\.a\.role: cannot be changed here"):
        with_key("attributes:\n  b: &it {role: other}\n  a: *it\n", ["attributes", "a", "role"], "identifier")
    assert with_key("", ["privacy", "k"], 3) == "privacy: {k: 3}\n"
    assert with_key("# only words\n", ["seed"], 3) == "# only words\nseed: 3\n"


@pytest.mark.parametrize(
    ("privacy", "also"),
    [
        ({"k": 5}, ()),
        ({"k": 5, "l": {"ill": 3}}, ("l = 3 of ill",)),
        ({"lkc": {"L": 2, "K": 4}}, ()),
        ({"k": 5, "lkc": {"L": 2, "K": 4}}, ("L = 2, K = 4",)),
        ({"lkc": {"L": 2, "K": 4}, "l": {"ill": 2}}, ("L = 2, K = 4", "l = 2 of ill")),
    ],
)
def test_what_is_asked_besides_k_or_besides_what_is_promised(privacy: dict[str, Any], also: Any) -> None:
    masked = {name: {"role": "quasi-identifier", "kind": "numeric"} for name in ("age", "size", "pay")}
    columns = masked | {"ill": {"role": "confidential"}}
    plan = Plan.from_dict({"attributes": columns, "privacy": privacy, "method": {"name": "top-down"}})
    assert plan.also_asked == also
